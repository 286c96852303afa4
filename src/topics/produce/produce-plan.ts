/** Which records of a request go into which partition (topics.md 2.4). Pure. */
import { partitionOfKey } from './partitioner.js';
import type { ProduceRecord } from './produce.request.js';

/** Records of one topic that go into one partition: one append, so all of them or none. */
export interface Part {
  readonly partition: number;
  /** Which ones, rising. */
  readonly indexes: readonly number[];
}

/**
 * The partition that a record names, else the one of its key among `partitions`, else the one
 * that all keyless records of the request share: looked up once, if at all.
 */
export function partsOf(
  records: readonly ProduceRecord[],
  partitions: number,
  keyless: () => number,
): readonly Part[] {
  const parts = new Map<number, number[]>();
  let shared = -1;
  for (let index = 0; index < records.length; index += 1) {
    const { partition: named = null, key = null } = records[index] ?? {};
    if (named === null && key === null && shared === -1) shared = keyless();
    const partition = named ?? (key === null ? shared : partitionOfKey(key, partitions));
    const indexes = parts.get(partition);
    if (indexes === undefined) parts.set(partition, [index]);
    else indexes.push(index);
  }
  return [...parts].map(([partition, indexes]) => ({ partition, indexes }));
}
