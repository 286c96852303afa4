/**
 * The overlay of one turn: states and indexes are changed in place and every previous value is
 * kept, so that a turn that fails leaves memory as it was. Reverting is rare; three arrays avoid a
 * closure per change.
 */

import { PreImages } from './resting/pre-images.js';

/** A value with a place in the journal, for maps in journal order. */
export interface Placed {
  readonly offset: number;
}

/** Every change by `evolve` and folds goes through this; other changes are not reverted. */
export class TurnChanges {
  /**
   * Changes that are never reverted, such as those of replay, need no previous values. Each entry
   * is noted in `images` before it changes.
   */
  constructor(
    private readonly canRevert = true,
    private readonly images = new PreImages(),
  ) {}

  private readonly maps: Map<unknown, unknown>[] = [];
  private readonly keys: unknown[] = [];
  private readonly previous: unknown[] = [];
  /** Those maps whose order `revert` restores. */
  private readonly ordered = new Set<Map<unknown, Placed>>();

  /** Sets a value; `revert` undoes it. Values are never `undefined`. */
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    this.remember(map, key);
    map.set(key, value);
  }

  /** Removes a value; `revert` puts it back, but at the end: for maps without an order. */
  delete<Key, Value>(map: Map<Key, Value>, key: Key): void {
    this.remember(map, key);
    map.delete(key);
  }

  /** Like `delete`, for a map in the order of its values' offsets: `revert` restores that order. */
  deleteInOrder<Key, Value extends Placed>(map: Map<Key, Value>, key: Key): void {
    if (this.canRevert) this.ordered.add(map);
    this.delete(map, key);
  }

  /** Keeps the changes: the turn is in the journal and can no longer be reverted. */
  keep(): void {
    // Popped one by one: an array cut to nothing at once would allocate again in the next turn.
    while (this.maps.pop() !== undefined) {
      this.keys.pop();
      this.previous.pop();
    }
    if (this.ordered.size > 0) this.ordered.clear();
  }

  /** Restores memory as it was before the turn, newest change first. */
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

/** Sorts a map by its values' offsets. */
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
