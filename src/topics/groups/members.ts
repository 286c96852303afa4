/**
 * The members of a group in the bytewise order of their ids, which every assignment uses. A join or
 * leave makes a new `Members`; for a large group this costs a copy of the list, but no sorting.
 */
import { bytewise, compareBytes, isPlain } from './bytewise.js';

/** What assignments need to know of an instance. */
export interface GroupMember {
  readonly instance: string;
  /** The topics that the instance subscribes to. */
  readonly topics: readonly string[];
}

/** Immutable, so that states can share it. */
export class Members implements Iterable<GroupMember> {
  static readonly none = new Members([], true);

  #topics: ReadonlySet<string> | null = null;

  private constructor(
    private readonly list: readonly GroupMember[],
    /** Whether all ids are plain, so that they may be compared as strings. */
    private readonly isPlain: boolean,
  ) {}

  /** Makes members from instance ids with their topics. */
  static of(topicsOf: ReadonlyMap<string, readonly string[]>): Members {
    const ids = bytewise([...topicsOf.keys()]);
    const list = ids.map((instance) => ({ instance, topics: topicsOf.get(instance) ?? [] }));
    return new Members(list, ids.every(isPlain));
  }

  get size(): number {
    return this.list.length;
  }

  /** All topics that members subscribe to; computed when it is first read. */
  get topics(): ReadonlySet<string> {
    this.#topics ??= new Set(this.list.flatMap(({ topics }) => topics));
    return this.#topics;
  }

  [Symbol.iterator](): Iterator<GroupMember> {
    return this.list.values();
  }

  has(instance: string): boolean {
    return this.topicsOf(instance) !== undefined;
  }

  /** The topics that a member subscribes to; undefined = there is no such member. */
  topicsOf(instance: string): readonly string[] | undefined {
    const member = this.list[this.placeOf(instance)];
    return member?.instance === instance ? member.topics : undefined;
  }

  /** These members with one more, or with other topics of an existing one. */
  with(instance: string, topics: readonly string[]): Members {
    const replaced = this.has(instance) ? 1 : 0;
    const list = this.list.toSpliced(this.placeOf(instance), replaced, { instance, topics });
    return new Members(list, this.isPlain && isPlain(instance));
  }

  /** These members without one; unchanged if it is not among them. */
  without(instance: string): Members {
    if (!this.has(instance)) return this;
    return new Members(this.list.toSpliced(this.placeOf(instance), 1), this.isPlain);
  }

  /** The index of an id, or where it would be inserted. */
  private placeOf(instance: string): number {
    const isText = this.isPlain && isPlain(instance);
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { instance: other = '' } = this.list[middle] ?? {};
      const isBelow = isText ? other < instance : compareBytes(other, instance) < 0;
      if (isBelow) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
