/**
 * The overlay of one turn: states and indexes are changed in place and every previous value is
 * kept, so that a turn that fails leaves memory as it was. Reverting is rare; three arrays cost no
 * closure.
 */

import { PreImages } from './resting/pre-images.js';

/** What stands in a map in the order of the journal. */
export interface Placed {
  readonly offset: number;
}

/**
 * All that `evolve` and folds change goes through it; what is changed beside it is not taken back.
 */
export class TurnChanges {
  /**
   * Changes that are never taken back, as replay makes them, need no memory of what was. Each entry
   * is noted in `images` before it changes.
   */
  constructor(
    private readonly canRevert = true,
    private readonly images = new PreImages(),
  ) {}

  private readonly maps: Map<unknown, unknown>[] = [];
  private readonly keys: unknown[] = [];
  private readonly previous: unknown[] = [];
  /** Those of `maps` whose order `revert` restores. */
  private readonly ordered = new Set<Map<unknown, Placed>>();

  /** Sets a value that `revert` takes back. Values are never `undefined`. */
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    this.remember(map, key);
    map.set(key, value);
  }

  /** Removes a value that `revert` puts back, but at the end: for maps without an order. */
  delete<Key, Value>(map: Map<Key, Value>, key: Key): void {
    this.remember(map, key);
    map.delete(key);
  }

  /** The same, of a map in the order of its values' offsets: `revert` restores that order. */
  deleteInOrder<Key, Value extends Placed>(map: Map<Key, Value>, key: Key): void {
    if (this.canRevert) this.ordered.add(map);
    this.delete(map, key);
  }

  /** The turn is in the journal: there is no way back any more. */
  keep(): void {
    // Cut to nothing at once, each of them would get new memory in the next turn.
    while (this.maps.pop() !== undefined) {
      this.keys.pop();
      this.previous.pop();
    }
    if (this.ordered.size > 0) this.ordered.clear();
  }

  /** Memory as it was before the turn, newest change first. */
  revert(): void {
    for (let index = this.maps.length - 1; index >= 0; index -= 1) {
      const map = this.maps[index];
      const key = this.keys[index];
      const value = this.previous[index];
      if (value === undefined) map?.delete(key);
      else map?.set(key, value);
    }
    for (const map of this.ordered) restoreOrder(map);
    this.keep();
  }

  private remember<Key, Value>(map: Map<Key, Value>, key: Key): void {
    if (this.images.isOpen) this.images.note(map, key, map.get(key));
    if (!this.canRevert) return;
    this.maps.push(map);
    this.keys.push(key);
    this.previous.push(map.get(key));
  }
}

/** Puts a map in the order of its values' offsets. */
export function restoreOrder(map: Map<unknown, Placed>): void {
  if (isInOrder(map.values())) return;
  const entries = [...map].sort(([, one], [, other]) => one.offset - other.offset);
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

function isInOrder(values: Iterable<Placed>): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const { offset } of values) {
    if (offset < last) return false;
    last = offset;
  }
  return true;
}
