/** The indexes of sealed segments that were used last: a store keeps no others in memory. */
import { LRUCache } from 'lru-cache';
import type { RecordFinder } from './stored-index.js';

const bytesMax = 32 * 1024 * 1024;

/** What finds the records of a segment, by the path of its index file. */
export type IndexCache = LRUCache<string, RecordFinder>;

/** A cache that is empty; it holds what takes 32 MiB. */
export function newIndexCache(): IndexCache {
  return new LRUCache<string, RecordFinder>({
    maxSize: bytesMax,
    sizeCalculation: (index) => index.byteLength,
  });
}
