/** The events of a consumer group: changes of its members and of the owners of partitions. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Move, Strategy } from './assignment.policy.js';

/** The stream kind of consumer groups; the stream's id is the group's name. */
export const consumerGroupKind = 'consumer-group';

/** A new generation of a group: the partitions in `moved` change their owners, all at once. */
export interface Rebalance {
  /** Counts from 1. */
  readonly generation: number;
  readonly moved: readonly Move[];
}

/** An instance joined the group; the first member creates the group. */
export interface MemberJoined extends DomainEvent, Rebalance {
  readonly type: 'MemberJoined';
  readonly instance: string;
  readonly topics: readonly string[];
  /** The group's strategy, which all members share. */
  readonly strategy: Strategy;
}

/** A member changed its subscription; `topics` are all of its topics now. */
export interface SubscriptionChanged extends DomainEvent, Rebalance {
  readonly type: 'SubscriptionChanged';
  readonly instance: string;
  readonly topics: readonly string[];
}

/** An instance left the group. */
export interface MemberLeft extends DomainEvent, Rebalance {
  readonly type: 'MemberLeft';
  readonly instance: string;
}

/** Topics that members subscribe to were created, have grown, or were deleted. */
export interface PartitionsReassigned extends DomainEvent, Rebalance {
  readonly type: 'PartitionsReassigned';
}

/** The reset of one partition's offset. */
export interface OffsetMove {
  readonly topic: string;
  readonly partition: number;
  /** The offset committed before; null = none. */
  readonly from: number | null;
  readonly to: number;
}

/**
 * A client committed other offsets for the group. The offsets are stored in another log at the same
 * time: after a crash before the answer, either this event or the offsets may be missing.
 */
export interface OffsetsReset extends DomainEvent {
  readonly type: 'OffsetsReset';
  readonly moves: readonly OffsetMove[];
}

/** The group is being deleted with its committed offsets: no instance can join any more. */
export interface GroupDeleted extends DomainEvent {
  readonly type: 'GroupDeleted';
  readonly cause: 'request' | 'retention';
}

/** The committed offsets are gone, and the group's name is free. */
export interface GroupRemoved extends DomainEvent {
  readonly type: 'GroupRemoved';
}

/** All events of a group's stream, except its checkpoints. */
export type ConsumerGroupEvent =
  | MemberJoined
  | SubscriptionChanged
  | MemberLeft
  | PartitionsReassigned
  | OffsetsReset
  | GroupDeleted
  | GroupRemoved;
