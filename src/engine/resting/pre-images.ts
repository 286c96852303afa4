/**
 * Maps as they were at one moment, while they keep changing: an entry's value is kept before it
 * changes. So large maps can be passed on a little at a time, and are never copied at once.
 */
export class PreImages {
  /** By map and key, the value at the moment, if changed since; null = there is no moment. */
  private noted: Map<object, Map<unknown, unknown>> | null = null;
  private readonly passed = new Set<object>();
  /** Whether there is a moment: every change of memory checks this. Read only. */
  isOpen = false;

  /** Keeps maps as they are now, until `end`; one moment at a time. */
  begin(): void {
    if (this.noted !== null) throw new Error('maps are kept as they were at another moment');
    this.noted = new Map();
    this.isOpen = true;
  }

  /** Drops what was noted; changes are no longer noted. */
  end(): void {
    this.noted = null;
    this.isOpen = false;
    this.passed.clear();
  }

  /** An entry is about to change; `previous` is its value, undefined = it does not exist. */
  note(map: object, key: unknown, previous: unknown): void {
    if (this.noted === null || this.passed.has(map)) return;
    let own = this.noted.get(map);
    if (own === undefined) {
      own = new Map();
      this.noted.set(map, own);
    }
    if (!own.has(key)) own.set(key, previous);
  }

  /**
   * The entries of a map at the moment, in any order; maps within it are copied. The map may change
   * between two entries, and one may come twice. Each map can be passed once.
   */
  *pass<Key, Value>(map: ReadonlyMap<Key, Value>): Generator<readonly [Key, Value]> {
    yield* this.entriesOf(map);
    this.passed.add(map);
    this.noted?.delete(map);
  }

  private *entriesOf<Key, Value>(map: ReadonlyMap<Key, Value>): Generator<readonly [Key, Value]> {
    for (const [key, value] of map) {
      if (this.noted?.get(map)?.has(key) !== true) yield [key, this.valueOf(value)];
    }
    // Cast: whatever was noted for a map are entries of it.
    const own = (this.noted?.get(map) ?? []) as Iterable<readonly [Key, Value | undefined]>;
    for (const [key, value] of own) if (value !== undefined) yield [key, this.valueOf(value)];
  }

  private valueOf<Value>(value: Value): Value {
    if (!(value instanceof Map)) return value;
    // Cast: a map within a map has entries of its own type.
    return new Map(this.entriesOf(value)) as Value;
  }
}
