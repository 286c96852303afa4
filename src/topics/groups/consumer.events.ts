/** The events of a consumer instance, which is one member of one group. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of consumer instances; see `consumerId`. */
export const consumerKind = 'consumer';

/** Where a consumer starts if no usable offset is stored; with `none`, its request is refused. */
export type OffsetReset = 'earliest' | 'latest' | 'none';

/** How an instance consumes, fixed from its first request to its end (topics.md 4.2). */
export interface ConsumerSettings {
  readonly autoCommit: boolean;
  readonly autoCommitIntervalMs: number;
  readonly offsetReset: OffsetReset;
  /**
   * How long the instance may be silent; after a restart of the server it has this long to call
   * again.
   */
  readonly sessionTimeoutMs: number;
}

/** The instance was created by its first request. */
export interface ConsumerOpened extends DomainEvent, ConsumerSettings {
  readonly type: 'ConsumerOpened';
}

/** The instance was deleted, was silent for too long, or did not come back after a restart. */
export type CloseReason = 'deleted' | 'idle' | 'expired';

/** The instance was closed; its partitions are given to others in the same turn. */
export interface ConsumerClosed extends DomainEvent {
  readonly type: 'ConsumerClosed';
  readonly reason: CloseReason;
}

/**
 * All events of an instance's stream, which ends when the instance is closed; its id may then start
 * another stream.
 */
export type ConsumerEvent = ConsumerOpened | ConsumerClosed;

/** A group's name and an instance's id as they were written; any characters are allowed. */
export interface ConsumerPlace {
  readonly group: string;
  readonly instance: string;
}

/**
 * The stream id of an instance. The group's name is encoded, so that different pairs never share an
 * id.
 */
export function consumerId({ group, instance }: ConsumerPlace): string {
  return `${encodeURIComponent(group)}/${instance}`;
}

/** The group and instance of a stream id. */
export function consumerPlace(id: string): ConsumerPlace {
  const slash = id.indexOf('/');
  return { group: decodeURIComponent(id.slice(0, slash)), instance: id.slice(slash + 1) };
}
