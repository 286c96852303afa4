/** A topic as it is shown to administrators. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { OffsetRange } from '../../../storage/offsets/offset.js';
import type { CleanupPolicy } from '../topics/topic.events.js';
import type { Topic } from '../topics/topic.state.js';

/** Settings and size; a retention of -1 is none. */
export interface TopicObject {
  readonly name: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly partitions: number;
  readonly cleanupPolicy: CleanupPolicy;
  /** What applies: where the topic does not say, what is configured. */
  readonly retentionMs: number;
  /** Of one partition. */
  readonly retentionBytes: number;
  /** Of all partitions together; null = it is not known of then (ADR 47). */
  readonly bytes: number | null;
}

/** What one partition holds: records in [earliest, latest), fewer where it was compacted. */
export interface PartitionObject {
  readonly partition: number;
  readonly earliest: number;
  readonly latest: number;
  readonly bytes: number;
  /** The latest time of a record or an append, Unix milliseconds; null = there is no record. */
  readonly newestAt: number | null;
  /** Offsets that cannot be read; absent where no damage is known. */
  readonly damaged?: readonly OffsetRange[];
}

/** The topic and its partitions one by one. */
export interface TopicDetails extends TopicObject {
  /** null = it is not known of then. */
  readonly offsets: readonly PartitionObject[] | null;
}

/**
 * `logs` null = not known, as of a moment in the past; a retention that the topic does not set is
 * shown as the configured one, milliseconds.
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

/** `latest` is the high watermark: what is not durable does not count. */
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
