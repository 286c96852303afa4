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

/**
 * Keeps `max` entries; one more replaces an entry as if by chance. For walks over entries that may
 * be more: keeping the last used ones, a walk over `max` + 1 would never find an entry again.
 */
export class RandomlyKept<Key extends {}, Value extends {}> {
  private readonly entries = new Map<Key, Value>();
  private readonly keys: Key[] = [];
  /** The same numbers in every process: what a simulation does can be repeated. */
  private chance = 1;

  constructor(private readonly max: number) {}

  /** The value of `key`, if it is kept. */
  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  /** Keeps a value. */
  set(key: Key, value: Value): void {
    if (!this.entries.has(key)) this.makeRoomFor(key);
    this.entries.set(key, value);
  }

  private makeRoomFor(key: Key): void {
    const { keys, max } = this;
    // A linear congruential generator, whose high bits look random (Knuth).
    this.chance = (Math.imul(this.chance, 1_664_525) + 1_013_904_223) >>> 0;
    const place = keys.length < max ? keys.length : Math.floor((this.chance / 2 ** 32) * max);
    const replaced = keys[place];
    if (replaced !== undefined) this.entries.delete(replaced);
    keys[place] = key;
  }
}
