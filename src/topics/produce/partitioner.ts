/** Which partition a record goes to: Kafka's default partitioner, bit for bit. */
import murmurhash from 'murmurhash';

/** Kafka's seed of murmur2 (Kafka protocol: DefaultPartitioner). */
const seed = 0x9747b28c;

/** Clears the sign bit; the unsigned value would send negative hashes elsewhere than Kafka does. */
const positiveMask = 0x7fffffff;

/** The partition of a key, of `partitions` many. Equal keys go to equal partitions. */
export function partitionOfKey(key: Uint8Array, partitions: number): number {
  return (murmurhash.v2(key, seed) & positiveMask) % partitions;
}

/**
 * Where records without a key go: all of one request to one partition, the next request to the next
 * one, so that small requests spread and large ones stay one batch.
 */
export class KeylessTurns {
  /** By the logs of a topic: of one that is deleted nothing stays. */
  private readonly turns = new WeakMap<readonly object[], number>();

  /** The partition for the keyless records of one request to a topic, which has these logs. */
  next(logs: readonly object[]): number {
    const turn = this.turns.get(logs) ?? 0;
    this.turns.set(logs, turn + 1);
    return turn % logs.length;
  }
}
