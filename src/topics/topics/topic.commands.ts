/** The commands of a topic. */
import type { Command } from '../../engine/decider.js';
import type {
  CleanupPolicy,
  CompactionOutcome,
  TopicRetention,
  TopicTrimmed,
  Trim,
} from './topic.events.js';

/** Create the topic if it does not exist; an existing topic stays unchanged. */
export interface EnsureTopic extends Command {
  readonly type: 'EnsureTopic';
  readonly partitions: number;
}

/** Create a topic that does not exist yet. */
export interface CreateTopic extends Command, TopicRetention {
  readonly type: 'CreateTopic';
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
}

/** Change the named settings; the others stay. */
export interface AlterTopic extends Command {
  readonly type: 'AlterTopic';
  readonly changes: Partial<TopicRetention & { readonly partitions: number }>;
}

/** Remove records from the start of partitions; records that are already removed cause no event. */
export interface TrimTopic extends Command {
  readonly type: 'TrimTopic';
  readonly trims: readonly Trim[];
  readonly cause: TopicTrimmed['cause'];
}

/**
 * Compact a partition of a topic whose policy is `compact`; each partition has one compaction at a
 * time.
 */
export interface BeginCompaction extends Command {
  readonly type: 'BeginCompaction';
  readonly partition: number;
  readonly until: number;
  /** Unix milliseconds. */
  readonly tombstonesBefore: number;
}

/** The compaction of a partition has ended. */
export interface EndCompaction extends Command, CompactionOutcome {
  readonly type: 'EndCompaction';
  readonly partition: number;
}

/** Delete the topic and its records. */
export interface DeleteTopic extends Command {
  readonly type: 'DeleteTopic';
}

/** The logs of a deleted topic are gone. */
export interface RemoveTopic extends Command {
  readonly type: 'RemoveTopic';
}

/** All commands of a topic: from requests, retention, and the topic's own effects. */
export type TopicCommand =
  | EnsureTopic
  | CreateTopic
  | AlterTopic
  | TrimTopic
  | BeginCompaction
  | EndCompaction
  | DeleteTopic
  | RemoveTopic;
