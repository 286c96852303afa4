/** What can have happened to a consumer group: who is in it, and who owns what since when. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Move, Strategy } from './assignment.policy.js';

/** The stream kind of consumer groups; the stream's id is the group's name. */
export const consumerGroupKind = 'consumer-group';

/** One more generation of a group: partitions change hands as this event says, all at once. */
export interface Rebalance {
  /** Counts from 1. */
  readonly generation: number;
  readonly moved: readonly Move[];
}

/** An instance is a member from now on; the first one makes the group. */
export interface MemberJoined extends DomainEvent, Rebalance {
  readonly type: 'MemberJoined';
  readonly instance: string;
  readonly topics: readonly string[];
  /** The group's; all members have the same. */
  readonly strategy: Strategy;
}

/** A member subscribed to other topics: these are all of its topics now. */
export interface SubscriptionChanged extends DomainEvent, Rebalance {
  readonly type: 'SubscriptionChanged';
  readonly instance: string;
  readonly topics: readonly string[];
}

/** An instance is no member any more. */
export interface MemberLeft extends DomainEvent, Rebalance {
  readonly type: 'MemberLeft';
  readonly instance: string;
}

/** Topics that members subscribe to were created, have grown, or are gone. */
export interface PartitionsReassigned extends DomainEvent, Rebalance {
  readonly type: 'PartitionsReassigned';
}

/** What a reset does to one partition. */
export interface OffsetMove {
  readonly topic: string;
  readonly partition: number;
  /** What was committed before; null = nothing was. */
  readonly from: number | null;
  readonly to: number;
}

/**
 * An operator commits other offsets for the group. They are stored in another log at the same time:
 * of a reset that a crash has left without an answer, either may be missing.
 */
export interface OffsetsReset extends DomainEvent {
  readonly type: 'OffsetsReset';
  readonly moves: readonly OffsetMove[];
}

/** The group will be gone with its committed offsets: no instance joins any more. */
export interface GroupDeleted extends DomainEvent {
  readonly type: 'GroupDeleted';
  readonly cause: 'request' | 'retention';
}

/** Its committed offsets are gone; the name is free. */
export interface GroupRemoved extends DomainEvent {
  readonly type: 'GroupRemoved';
}

/** All events of a group's stream, but for its checkpoints. */
export type ConsumerGroupEvent =
  | MemberJoined
  | SubscriptionChanged
  | MemberLeft
  | PartitionsReassigned
  | OffsetsReset
  | GroupDeleted
  | GroupRemoved;
