/**
 * The overlay of one turn: states and indexes are changed in place and every previous value is
 * kept, so that a turn that fails leaves memory as it was. Reverting is rare; three arrays cost no
 * closure.
 */
export class TurnChanges {
  /** Changes that are never taken back, as replay makes them, need no memory of what was. */
  constructor(private readonly canRevert = true) {}

  private readonly maps: Map<unknown, unknown>[] = [];
  private readonly keys: unknown[] = [];
  private readonly previous: unknown[] = [];

  /** Sets a value that `revert` takes back. Values are never `undefined`. */
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    this.remember(map, key);
    map.set(key, value);
  }

  /** Removes a value that `revert` puts back. */
  delete<Key, Value>(map: Map<Key, Value>, key: Key): void {
    this.remember(map, key);
    map.delete(key);
  }

  /** The turn is in the journal: there is no way back any more. */
  keep(): void {
    this.maps.length = 0;
    this.keys.length = 0;
    this.previous.length = 0;
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
    this.keep();
  }

  private remember<Key, Value>(map: Map<Key, Value>, key: Key): void {
    if (!this.canRevert) return;
    this.maps.push(map as Map<unknown, unknown>);
    this.keys.push(key);
    this.previous.push(map.get(key));
  }
}
