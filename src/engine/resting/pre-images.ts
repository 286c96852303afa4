/**
 * Maps as they were at one moment, while they go on changing: what an entry was is kept before it
 * changes. So what is large is passed a little at a time, and none of it is copied at once.
 */
export class PreImages {
  /** By map and key what stood there at the moment, of what has changed since; null = no moment. */
  private noted: Map<object, Map<unknown, unknown>> | null = null;
  private readonly passed = new Set<object>();
  /** Whether there is a moment: each change of memory looks at it. Read it only. */
  isOpen = false;

  /** Keeps maps as they are now, until `end`: one moment at a time. */
  begin(): void {
    if (this.noted !== null) throw new Error('maps are kept as they were at another moment');
    this.noted = new Map();
    this.isOpen = true;
  }

  /** What was noted is let go of; changes are not noted any more. */
  end(): void {
    this.noted = null;
    this.isOpen = false;
    this.passed.clear();
  }

  /** An entry is about to change that is `previous`; undefined = it is not there. */
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
   * The entries that a map had, in any order; maps within it are copies. It may change between two
   * of them, and one may come twice. Each map is passed once.
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
    // What was noted of a map are entries of it.
    const own = (this.noted?.get(map) ?? []) as Iterable<readonly [Key, Value | undefined]>;
    for (const [key, value] of own) if (value !== undefined) yield [key, this.valueOf(value)];
  }

  private valueOf<Value>(value: Value): Value {
    if (!(value instanceof Map)) return value;
    // A map within a map has entries of its own type.
    return new Map(this.entriesOf(value)) as Value;
  }
}
