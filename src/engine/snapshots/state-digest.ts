/**
 * A digest of memory: what two processes that have folded the same events must agree on.
 *
 *     itemsOf(engine)      every stream that has not ended, and every entry of every index, each as
 *                          a section, a key within it, and bytes
 *     digestOf(items)      the number of items in each section, and the sum of their SHA-256: a
 *                          sum, so that the order of maps and of items does not matter
 *     digestOfSections     a digest of sections made in another way (`part-digest.ts`)
 *     differenceOf(a, b)   the field in which two items differ
 *
 * Equal memories have equal bytes (see `StoredForm`). A section is a kind of streams, like `run`,
 * or a map of an index, like `known runs.runs`. Indexes of durable events are left out: they lag
 * behind, and also depend on what the gates have done.
 */
import { createHash, hash } from 'node:crypto';
import type { Engine } from '../engine.js';
import type { StoredStream } from '../resting/resting-stream.js';
import { bytesOf, valueIn } from '../resting/stored-form.js';
import { memoriesOf } from './memories.js';

/** A stream or an entry in memory. */
export interface MemoryItem {
  readonly section: string;
  /** The id of a stream, or the key of an entry; for a map within a map, both keys. */
  readonly key: string;
  /** A stream's length and the offsets of its first and its last event; '' = it is an entry. */
  readonly place: string;
  /** The stored state of a stream, or the value of an entry (`valueIn`). */
  readonly bytes: Buffer;
}

/** The digest of one section. */
export interface SectionDigest {
  readonly section: string;
  readonly items: number;
  /** Hexadecimal; '' = the items are only counted. */
  readonly sum: string;
}

/** Leaves out sections without items. */
export interface StateDigest {
  /** The digest of all sections. */
  readonly hex: string;
  /** Sorted by name. */
  readonly sections: readonly SectionDigest[];
}

/** Everything that memory holds now; resting states are not woken. */
export function* itemsOf(engine: Engine): Generator<MemoryItem> {
  for (const kind of engine.kinds) {
    for (const stream of engine.actors(kind).stored()) yield streamItem(kind, stream);
  }
  for (const { name, maps, mayHoldMore } of memoriesOf(engine)) {
    if (mayHoldMore) continue;
    for (const [map, entries] of Object.entries(maps)) {
      for (const [key, value] of entries) yield* entryItems(`${name}.${map}`, String(key), value);
    }
  }
}

/** A stream of the kind `section` as an item. */
export function streamItem(section: string, stream: StoredStream): MemoryItem {
  const { id, length, firstOffset, lastOffset, bytes } = stream;
  return { section, key: id, place: `${length} ${firstOffset} ${lastOffset}`, bytes };
}

/** An entry of an index as items: entries of a map within a map may come in any order, too. */
export function* entryItems(section: string, key: string, value: unknown): Generator<MemoryItem> {
  if (!(value instanceof Map)) {
    yield { section, key, place: '', bytes: bytesOf(value) };
    return;
  }
  for (const [inner, each] of value) yield* entryItems(section, `${key} ${inner}`, each);
}

/** The digest of all items at once; `DigestSum` takes items one by one. */
export function digestOf(items: Iterable<MemoryItem>): StateDigest {
  const sum = new DigestSum();
  for (const item of items) sum.add(item);
  return sum.digest();
}

/** How many 32-bit parts of a SHA-256 are summed separately. */
const sumsCount = 8;

/** The sum of the items that were added, in any order. */
export class DigestSum {
  private readonly sections = new Map<string, { items: number; readonly sums: Uint32Array }>();
  /** The SHA-256 of one item. */
  private readonly itemDigest = Buffer.alloc(sumsCount * 4);

  /** Adds an item; the order of items does not matter. */
  add({ section, key, place, bytes }: MemoryItem): void {
    let known = this.sections.get(section);
    if (known === undefined) {
      known = { items: 0, sums: new Uint32Array(sumsCount) };
      this.sections.set(section, known);
    }
    known.items += 1;
    const head = Buffer.from(`${key}\0${place}\0`);
    // As a string: Node.js makes a short string faster than a buffer.
    this.itemDigest.write(hash('sha256', Buffer.concat([head, bytes]), 'binary'), 'latin1');
    for (let index = 0; index < sumsCount; index += 1) {
      known.sums[index] = (known.sums[index] ?? 0) + this.itemDigest.readUInt32BE(index * 4);
    }
  }

  /** The digest of all items so far. */
  digest(): StateDigest {
    return digestOfSections(this.ofSections());
  }

  /** The digest of each section so far, in no order. */
  ofSections(): SectionDigest[] {
    return [...this.sections].map(([section, { items, sums }]) => {
      const sum = [...sums].map((each) => each.toString(16).padStart(8, '0')).join('');
      return { section, items, sum };
    });
  }
}

/** The digest of sections in any order, each occurring once. */
export function digestOfSections(unordered: readonly SectionDigest[]): StateDigest {
  const sections = unordered.toSorted((one, other) => (one.section < other.section ? -1 : 1));
  const whole = createHash('sha256');
  for (const { section, items, sum } of sections) whole.update(`${section} ${items} ${sum}\n`);
  return { hex: whole.digest('hex'), sections };
}

/** The names of the sections in which two digests differ, in order. */
export function differingSections(one: StateDigest, other: StateDigest): string[] {
  const lineOf = ({ items, sum }: SectionDigest) => `${items} ${sum}`;
  const [ones, others] = [one, other].map(
    ({ sections }) => new Map(sections.map((each) => [each.section, lineOf(each)])),
  );
  const names = new Set([...(ones?.keys() ?? []), ...(others?.keys() ?? [])]);
  return [...names].filter((name) => ones?.get(name) !== others?.get(name)).sort();
}

/** The first difference of two values. */
export interface FirstDifference {
  /** Names and indexes from the state or value down, like `1.entries.0`; '' = all of it. */
  readonly field: string;
  /** undefined = it does not exist. */
  readonly one: unknown;
  readonly other: unknown;
}

/** The field in which two items of the same section and key differ; null = they are equal. */
export function differenceOf(one: MemoryItem, other: MemoryItem): FirstDifference | null {
  if (one.place !== other.place) return { field: 'place', one: one.place, other: other.place };
  return one.bytes.equals(other.bytes)
    ? null
    : between(valueIn(one.bytes), valueIn(other.bytes), []);
}

function between(one: unknown, other: unknown, path: readonly string[]): FirstDifference | null {
  const [ones, others] = [partsOf(one), partsOf(other)];
  if (ones === null || others === null) {
    return bytesOf(one).equals(bytesOf(other)) ? null : { field: path.join('.'), one, other };
  }
  for (const name of new Set([...ones.keys(), ...others.keys()])) {
    const found = between(ones.get(name), others.get(name), [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

/** The parts of a value by name; null = it has none. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return null;
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [String(key), each]));
  return new Map(Object.entries(value instanceof Set ? [...value] : value));
}
