/** The part of the server's configuration that limits topics and their readers. */
import type { DurabilitySettings } from '../http/durability.js';

/** Units are part of the names: bytes and milliseconds. */
export interface TopicSettings extends DurabilitySettings {
  /** Number of partitions of a topic whose creation does not specify it. */
  readonly topicPartitions: number;
  readonly topicsMax: number;
  readonly partitionsMax: number;
  readonly topicRetentionMs: number;
  /** Whether a produce creates a topic that does not exist. */
  readonly topicAutoCreate: boolean;
  /** After this silence a consumer instance is removed, unless it sets its own timeout. */
  readonly consumerIdleMs: number;
  readonly groupsMax: number;
  readonly consumersMax: number;
  readonly groupRetentionMs: number;
  /** The most groups that metrics name. */
  readonly metricsNamesMax: number;
  /** The largest record; `maxBatchBytes` is the largest request of records. */
  readonly maxBodyBytes: number;
  readonly maxBatchBytes: number;
}
