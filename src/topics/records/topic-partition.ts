/** Partitions and positions, as fetches and consumers name them. */

/** A partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A partition, and the offset of the record to read next there. */
export interface TopicPosition extends TopicPartition {
  readonly offset: number;
}
