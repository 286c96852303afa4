/** What can have happened to a consumer instance: one member of one group. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of consumer instances; see `consumerId`. */
export const consumerKind = 'consumer';

/** Where a consumer starts if no usable offset is stored; with `none` its request is refused. */
export type OffsetReset = 'earliest' | 'latest' | 'none';

/** How an instance consumes, from its first request to its end (topics.md 4.2). */
export interface ConsumerSettings {
  readonly autoCommit: boolean;
  readonly autoCommitIntervalMs: number;
  readonly offsetReset: OffsetReset;
  /** How long it may be silent; after a restart of the server it has this long to call again. */
  readonly sessionTimeoutMs: number;
}

/** It was made by its first request. */
export interface ConsumerOpened extends DomainEvent, ConsumerSettings {
  readonly type: 'ConsumerOpened';
}

/** It was deleted, it was silent for too long, or it did not come back after a restart. */
export type CloseReason = 'deleted' | 'idle' | 'expired';

/** It is no more; its partitions are given to others in the same turn. */
export interface ConsumerClosed extends DomainEvent {
  readonly type: 'ConsumerClosed';
  readonly reason: CloseReason;
}

/**
 * All events of an instance's stream, which ends when it is closed; its name may begin another one.
 */
export type ConsumerEvent = ConsumerOpened | ConsumerClosed;

/** A group's name and an instance's id as they were written, both without a bound on letters. */
export interface ConsumerPlace {
  readonly group: string;
  readonly instance: string;
}

/** The stream id of an instance; the group is encoded, so that no two pairs have the same. */
export function consumerId({ group, instance }: ConsumerPlace): string {
  return `${encodeURIComponent(group)}/${instance}`;
}

/** The pair that a stream id was made of. */
export function consumerPlace(id: string): ConsumerPlace {
  const slash = id.indexOf('/');
  return { group: decodeURIComponent(id.slice(0, slash)), instance: id.slice(slash + 1) };
}
