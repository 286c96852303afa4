/** Chooses the partition of a record, exactly like Kafka's default partitioner. */
import murmurhash from 'murmurhash';

/** Kafka's seed of murmur2 (Kafka protocol: DefaultPartitioner). */
const seed = 0x9747b28c;

/**
 * Clears the sign bit as Kafka does; the unsigned value would give other partitions for negative
 * hashes.
 */
const positiveMask = 0x7fffffff;

/** The partition of a key among `partitions`. Equal keys go to the same partition. */
export function partitionOfKey(key: Uint8Array, partitions: number): number {
  return (murmurhash.v2(key, seed) & positiveMask) % partitions;
}

/**
 * Chooses the partition of records without a key: all of one request go to one partition, and the
 * next request uses the next partition. So small requests are spread, and large ones stay one
 * batch.
 */
export class KeylessTurns {
  /** Keyed by the logs of a topic, so that nothing of a deleted topic stays in memory. */
  private readonly turns = new WeakMap<readonly object[], number>();

  /** The partition for the keyless records of one request to the topic with these logs. */
  next(logs: readonly object[]): number {
    const turn = this.turns.get(logs) ?? 0;
    this.turns.set(logs, turn + 1);
    return turn % logs.length;
  }
}
