/** Maps that create their entries on demand, or drop old ones. */
import { LRUCache } from 'lru-cache';

/** The list of `key`, which is created if there is none. */
export function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}

/**
 * Keeps the `max` entries used last, and grows up to that: if it were given `max` instead of
 * `maxSize`, the library would allocate room for all entries at once, which would delay a start.
 */
export function lastUsed<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
