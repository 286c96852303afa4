/**
 * The members of a group in the bytewise order of their ids, which every assignment goes by. One
 * that joins or leaves makes other members of it: a large group costs a copy of a list, no sorting.
 */
import { bytewise, compareBytes, isPlain } from './bytewise.js';

/** What a group's assignment knows of an instance. */
export interface GroupMember {
  readonly instance: string;
  /** What it has subscribed to. */
  readonly topics: readonly string[];
}

/** A value: nothing changes it, so that states which share it stay as they were. */
export class Members implements Iterable<GroupMember> {
  static readonly none = new Members([], true);

  #topics: ReadonlySet<string> | null = null;

  private constructor(
    private readonly list: readonly GroupMember[],
    /** All ids are: they are compared as texts. */
    private readonly isPlain: boolean,
  ) {}

  /** Instance ids with their topics; each id once. */
  static of(topicsOf: ReadonlyMap<string, readonly string[]>): Members {
    const ids = bytewise([...topicsOf.keys()]);
    const list = ids.map((instance) => ({ instance, topics: topicsOf.get(instance) ?? [] }));
    return new Members(list, ids.every(isPlain));
  }

  get size(): number {
    return this.list.length;
  }

  /** What its members have subscribed to, all together; found out when it is first read. */
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

  /** What a member has subscribed to; undefined = there is no such member. */
  topicsOf(instance: string): readonly string[] | undefined {
    const member = this.list[this.placeOf(instance)];
    return member?.instance === instance ? member.topics : undefined;
  }

  /** With a member, or with other topics of it. */
  with(instance: string, topics: readonly string[]): Members {
    const replaced = this.has(instance) ? 1 : 0;
    const list = this.list.toSpliced(this.placeOf(instance), replaced, { instance, topics });
    return new Members(list, this.isPlain && isPlain(instance));
  }

  /** These members without one; the same where it is not among them. */
  without(instance: string): Members {
    if (!this.has(instance)) return this;
    return new Members(this.list.toSpliced(this.placeOf(instance), 1), this.isPlain);
  }

  /** Where an id stands, or would stand. */
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
