/** The events of one partition of a subscription: how far it was pushed. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of partitions that are pushed. */
export const subscriptionPartitionKind = 'subscription-partition';

/** A partition of a subscription. */
export interface SubscriptionPartitionPlace {
  readonly subscription: string;
  readonly partition: number;
}

/** The id of the partition's stream: `<subscription>/<partition>`. */
export function subscriptionPartitionId(place: SubscriptionPartitionPlace): string {
  return `${place.subscription}/${place.partition}`;
}

/** Parses such an id; names of subscriptions contain no slash. */
export function subscriptionPartitionPlace(id: string): SubscriptionPartitionPlace {
  const slash = id.lastIndexOf('/');
  return { subscription: id.slice(0, slash), partition: Number(id.slice(slash + 1)) };
}

/** The partition was opened: records from `position` on are pushed. */
export interface PartitionOpened extends DomainEvent {
  readonly type: 'PartitionOpened';
  readonly position: number;
  readonly isPaused: boolean;
}

/**
 * The records in [from, until) became messages in the same turn. The next records follow when all
 * of these messages are final, delivered or not.
 */
export interface RecordsPushed extends DomainEvent {
  readonly type: 'RecordsPushed';
  readonly from: number;
  readonly until: number;
  /** Number of records; fewer than the offsets if the log was compacted. */
  readonly records: number;
  /** Number of offsets without a message: removed before their turn, or too large for a message. */
  readonly skipped: number;
  readonly messageIds: readonly string[];
}

/** The partition was paused: it starts no further push. */
export interface PartitionPaused extends DomainEvent {
  readonly type: 'PartitionPaused';
}

/** The partition pushes again, from its current position. */
export interface PartitionResumed extends DomainEvent {
  readonly type: 'PartitionResumed';
}

/** The partition is no longer pushed: its subscription was deleted. */
export interface PartitionClosed extends DomainEvent {
  readonly type: 'PartitionClosed';
}

/** All events of a partition's stream, except its checkpoints. */
export type SubscriptionPartitionEvent =
  | PartitionOpened
  | RecordsPushed
  | PartitionPaused
  | PartitionResumed
  | PartitionClosed;
