/** What of the server's configuration decides what topics and their readers may take. */
import type { DurabilitySettings } from '../http/durability.js';

/** Units are in the names: bytes, and milliseconds. */
export interface TopicSettings extends DurabilitySettings {
  /** Partitions of a topic whose creation does not say how many. */
  readonly topicPartitions: number;
  readonly topicsMax: number;
  readonly partitionsMax: number;
  readonly topicRetentionMs: number;
  /** Whether a produce creates a topic that is not there. */
  readonly topicAutoCreate: boolean;
  /** After this silence a consumer instance is put out, where it names no other time. */
  readonly consumerIdleMs: number;
  readonly groupsMax: number;
  readonly consumersMax: number;
  readonly groupRetentionMs: number;
  /** So many groups are named in metrics. */
  readonly metricsNamesMax: number;
  /** The largest record, and the largest request of records. */
  readonly maxBodyBytes: number;
  readonly maxBatchBytes: number;
}
