/** Maps that make their entries, or let go of them. */
import { LRUCache } from 'lru-cache';

/** The list of `key`, which is made where there is none. */
export function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}

/**
 * Keeps the `max` entries that were used last, and grows up to that: given its `max`, the library
 * allocates room for all of them at once, which a start would wait for.
 */
export function lastUsed<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
