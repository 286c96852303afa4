/** A cache of what was used last. */
import { LRUCache } from 'lru-cache';

/**
 * Keeps the `max` entries that were used last, and grows up to that: told its `max`, the library
 * allocates room for all of them at once, which a start would wait for.
 */
export function lastUsed<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
