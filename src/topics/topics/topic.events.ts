/** The events of a topic. Its records are not events: they are in its partition logs. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of topics; the stream's id is the topic's name. */
export const topicKind = 'topic';

/** Retention without a limit. */
export const unlimited = -1;

/**
 * What happens to old records: they are deleted (`delete`), or all but the last record of each key
 * are deleted (`compact`).
 */
export type CleanupPolicy = 'delete' | 'compact';

/** How long records are kept. Time and size do not apply to compacted topics. */
export interface TopicRetention {
  /** Milliseconds; null = the configured default. */
  readonly retentionMs: number | null;
  /** Bytes of one partition. */
  readonly retentionBytes: number;
}

/** The new start of a partition. */
export interface Trim {
  readonly partition: number;
  /** The first offset that may still be read. */
  readonly before: number;
}

/** The topic was created, with this many partitions. */
export interface TopicCreated extends DomainEvent, TopicRetention {
  readonly type: 'TopicCreated';
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
}

/** The topic's retention or number of partitions changed; the number never decreases. */
export interface TopicAltered extends DomainEvent, TopicRetention {
  readonly type: 'TopicAltered';
  readonly partitions: number;
}

/**
 * Records can no longer be read: they were too old, took too many bytes, or were purged by a
 * request.
 */
export interface TopicTrimmed extends DomainEvent {
  readonly type: 'TopicTrimmed';
  readonly trims: readonly Trim[];
  readonly cause: 'time' | 'size' | 'purge';
}

/** The compaction of a partition's records below `until` began. */
export interface CompactionBegun extends DomainEvent {
  readonly type: 'CompactionBegun';
  readonly partition: number;
  readonly until: number;
  /** Tombstones written before this time are removed too, Unix milliseconds. */
  readonly tombstonesBefore: number;
}

/** The result of compacting a partition. */
export interface CompactionOutcome {
  readonly removedRecords: number;
  readonly removedBytes: number;
  /** When the oldest remaining tombstone was written, Unix milliseconds; null = none remained. */
  readonly oldestTombstone: number | null;
}

/** The compaction of a partition ended. */
export interface CompactionEnded extends DomainEvent, CompactionOutcome {
  readonly type: 'CompactionEnded';
  readonly partition: number;
}

/** The topic was deleted: no request finds it any more, and its logs are being dropped. */
export interface TopicDeleted extends DomainEvent {
  readonly type: 'TopicDeleted';
}

/** The topic's logs are gone, and its name is free. */
export interface TopicRemoved extends DomainEvent {
  readonly type: 'TopicRemoved';
}

/** All events of a topic's stream, except its checkpoints. */
export type TopicEvent =
  | TopicCreated
  | TopicAltered
  | TopicTrimmed
  | CompactionBegun
  | CompactionEnded
  | TopicDeleted
  | TopicRemoved;
