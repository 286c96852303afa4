/** Holds a value in a map until its key is deleted. */
interface Cell<Value> {
  value: Value | undefined;
}

/**
 * A map in insertion order, for entries that come and go thousands of times a second.
 *
 * When V8 replaces the table of a `Map`, the old table keeps a reference to the new one. Once one
 * old table has been promoted, the collector of young objects treats it as alive, and with it the
 * chain of all later tables and the values they held: most values that ever passed through live
 * until the next full collection, and are copied twice before. Here tables hold cells, and a
 * deletion empties its cell. Keys stay, so they are strings or numbers (ADR 107).
 */
export class TransientMap<Key extends string | number, Value> implements Map<Key, Value> {
  readonly [Symbol.toStringTag] = 'TransientMap';
  private readonly cells = new Map<Key, Cell<Value>>();

  /** The number of keys. */
  get size(): number {
    return this.cells.size;
  }

  has(key: Key): boolean {
    return this.cells.has(key);
  }

  get(key: Key): Value | undefined {
    return this.cells.get(key)?.value;
  }

  /** An existing key keeps its place in the order. */
  set(key: Key, value: Value): this {
    const cell = this.cells.get(key);
    if (cell === undefined) this.cells.set(key, { value });
    else cell.value = value;
    return this;
  }

  /** False = the key did not exist. */
  delete(key: Key): boolean {
    const cell = this.cells.get(key);
    if (cell === undefined) return false;
    cell.value = undefined;
    return this.cells.delete(key);
  }

  clear(): void {
    for (const cell of this.cells.values()) cell.value = undefined;
    this.cells.clear();
  }

  /** Deletes the first value in order, and returns it. */
  takeFirst(): Value | undefined {
    for (const [key, { value }] of this.cells) {
      this.delete(key);
      return value;
    }
    return undefined;
  }

  keys(): MapIterator<Key> {
    return this.cells.keys();
  }

  *values(): Generator<Value> {
    for (const [, value] of this) yield value;
  }

  entries(): Generator<[Key, Value]> {
    return this[Symbol.iterator]();
  }

  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const [key, { value }] of this.cells) if (value !== undefined) yield [key, value];
  }

  forEach(use: (value: Value, key: Key, map: Map<Key, Value>) => void): void {
    for (const [key, value] of this) use(value, key, this);
  }
}
