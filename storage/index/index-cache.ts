/** The indexes of sealed segments used last: a store keeps no others in memory. */
import { LRUCache } from 'lru-cache';
import type { RecordFinder } from './stored-index.js';

const bytesMax = 32 * 1024 * 1024;

/** Finders of records in segments, by the path of the index file. */
export type IndexCache = LRUCache<string, RecordFinder>;

/** An empty cache for up to 32 MiB of indexes. */
export function newIndexCache(): IndexCache {
  return new LRUCache<string, RecordFinder>({
    maxSize: bytesMax,
    sizeCalculation: (index) => index.byteLength,
  });
}
