/** What can have happened to a topic. Its records are not events: they are its partition logs. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of topics; the stream's id is the topic's name. */
export const topicKind = 'topic';

/** Retention that lets nothing go. */
export const unlimited = -1;

/**
 * What becomes of old records: they go (`delete`), or of each key all but the last one go
 * (`compact`).
 */
export type CleanupPolicy = 'delete' | 'compact';

/** How long records are kept. Time and size do not apply to topics that are compacted. */
export interface TopicRetention {
  /** Milliseconds; null = as configured. */
  readonly retentionMs: number | null;
  /** Bytes of one partition. */
  readonly retentionBytes: number;
}

/** Where a partition begins. */
export interface Trim {
  readonly partition: number;
  /** The first offset that may still be read. */
  readonly before: number;
}

/** The topic exists from now on, with this many partitions. */
export interface TopicCreated extends DomainEvent, TopicRetention {
  readonly type: 'TopicCreated';
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
}

/** It keeps its records like this from now on, and has this many partitions: never fewer. */
export interface TopicAltered extends DomainEvent, TopicRetention {
  readonly type: 'TopicAltered';
  readonly partitions: number;
}

/** Records may not be read any more: too old, too many bytes, or purged by a request. */
export interface TopicTrimmed extends DomainEvent {
  readonly type: 'TopicTrimmed';
  readonly trims: readonly Trim[];
  readonly cause: 'time' | 'size' | 'purge';
}

/** A partition's records below `until` shall be compacted. */
export interface CompactionBegun extends DomainEvent {
  readonly type: 'CompactionBegun';
  readonly partition: number;
  readonly until: number;
  /** Tombstones that were written before this time go too, Unix milliseconds. */
  readonly tombstonesBefore: number;
}

/** What compacting a partition came to. */
export interface CompactionOutcome {
  readonly removedRecords: number;
  readonly removedBytes: number;
  /** When the oldest tombstone that stayed was written, Unix milliseconds; null = there is none. */
  readonly oldestTombstone: number | null;
}

/** They have been. */
export interface CompactionEnded extends DomainEvent, CompactionOutcome {
  readonly type: 'CompactionEnded';
  readonly partition: number;
}

/** No request finds it any more; its logs are being dropped. */
export interface TopicDeleted extends DomainEvent {
  readonly type: 'TopicDeleted';
}

/** Its logs are gone, and its name is free. */
export interface TopicRemoved extends DomainEvent {
  readonly type: 'TopicRemoved';
}

/** All events of a topic's stream, but for its checkpoints. */
export type TopicEvent =
  | TopicCreated
  | TopicAltered
  | TopicTrimmed
  | CompactionBegun
  | CompactionEnded
  | TopicDeleted
  | TopicRemoved;
