/** The object of a topic, as administrators see it. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { OffsetRange } from '../../../storage/offsets/offset.js';
import type { CleanupPolicy } from '../topics/topic.events.js';
import type { Topic } from '../topics/topic.state.js';

/** Settings and size; a retention of -1 means no limit. */
export interface TopicObject {
  readonly name: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
  /** The retention in effect: the topic's own, or the configured default. */
  readonly retentionMs: number;
  /** Maximum bytes of one partition. */
  readonly retentionBytes: number;
  /** Bytes of all partitions; null = unknown for a past moment (ADR 47). */
  readonly bytes: number | null;
}

/**
 * The content of one partition: the records in [earliest, latest), except those that compaction
 * removed.
 */
export interface PartitionObject {
  readonly partition: number;
  readonly earliest: number;
  readonly latest: number;
  readonly bytes: number;
  /** The latest time of a record or an append, Unix milliseconds; null = no record. */
  readonly newestAt: number | null;
  /** Offsets that cannot be read; absent if no damage is known. */
  readonly damaged?: readonly OffsetRange[];
}

/** The topic with each of its partitions. */
export interface TopicDetails extends TopicObject {
  /** null = unknown for a past moment. */
  readonly offsets: readonly PartitionObject[] | null;
}

/**
 * Builds the object. `logs` is null if unknown, as for a past moment. If the topic sets no
 * retention, `configuredRetentionMs` is shown.
 */
export function topicObject(
  name: string,
  topic: Topic,
  logs: readonly PartitionLog[] | null,
  configuredRetentionMs: number,
): TopicObject {
  const { createdAt, partitions, cleanupPolicy, retentionMs, retentionBytes } = topic;
  return {
    name,
    createdAt,
    partitions,
    cleanupPolicy,
    retentionMs: retentionMs ?? configuredRetentionMs,
    retentionBytes,
    bytes: logs?.reduce((sum, { byteLength }) => sum + byteLength, 0) ?? null,
  };
}

/**
 * Builds the object of a partition. `latest` is the high watermark, because records that are not
 * durable do not count.
 */
export function partitionObject(log: PartitionLog, partition: number): PartitionObject {
  const times = log.segments.map(({ latestTime }) => latestTime);
  return {
    partition,
    earliest: log.startOffset,
    latest: log.highWatermark,
    bytes: log.byteLength,
    newestAt: times.length === 0 ? null : Math.max(...times),
    ...(log.damages.length > 0 && { damaged: log.damages }),
  };
}
