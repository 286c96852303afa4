/** What can have happened to one partition of a subscription: how far it was pushed. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of partitions that are pushed. */
export const subscriptionPartitionKind = 'subscription-partition';

/** Which partition, of whose. */
export interface SubscriptionPartitionPlace {
  readonly subscription: string;
  readonly partition: number;
}

/** The id of its stream: `<subscription>/<partition>`. */
export function subscriptionPartitionId(place: SubscriptionPartitionPlace): string {
  return `${place.subscription}/${place.partition}`;
}

/** The place that an id names: no slash is in the name of a subscription. */
export function subscriptionPartitionPlace(id: string): SubscriptionPartitionPlace {
  const slash = id.lastIndexOf('/');
  return { subscription: id.slice(0, slash), partition: Number(id.slice(slash + 1)) };
}

/** Records from `position` on are pushed. */
export interface PartitionOpened extends DomainEvent {
  readonly type: 'PartitionOpened';
  readonly position: number;
  readonly isPaused: boolean;
}

/**
 * The records in [from, until) became messages, in the same turn; the next ones follow when all of
 * those are final, delivered or not.
 */
export interface RecordsPushed extends DomainEvent {
  readonly type: 'RecordsPushed';
  readonly from: number;
  readonly until: number;
  /** How many there were: fewer than offsets where the log was compacted. */
  readonly records: number;
  /** Offsets that no message was made of: gone before their turn, or too large for a message. */
  readonly skipped: number;
  readonly messageIds: readonly string[];
}

/** It begins no push from now on. */
export interface PartitionPaused extends DomainEvent {
  readonly type: 'PartitionPaused';
}

/** It pushes again, from where it is. */
export interface PartitionResumed extends DomainEvent {
  readonly type: 'PartitionResumed';
}

/** It pushes no more: its subscription is gone. */
export interface PartitionClosed extends DomainEvent {
  readonly type: 'PartitionClosed';
}

/** All events of a partition's stream, but for its checkpoints. */
export type SubscriptionPartitionEvent =
  | PartitionOpened
  | RecordsPushed
  | PartitionPaused
  | PartitionResumed
  | PartitionClosed;
