/**
 * A digest of memory: what two processes that have folded the same events must agree on.
 *
 *     itemsOf(engine)      every stream that has not ended, and every entry of every index, each as
 *                          a section, a key within it, and bytes
 *     digestOf(items)      of each section how many there are, and the sum of their SHA-256: a sum,
 *                          so that neither the order of maps matters nor which came first
 *     digestOfSections     one of sections that were made in another way (`part-digest.ts`)
 *     differenceOf(a, b)   the field in which two items differ
 *
 * Equal memories have equal bytes (see `StoredForm`). A section is a kind of streams, `run`, or a
 * map of an index, `known runs.runs`. Indexes of durable events are left out: they are behind, and
 * go by what the gates have done, too.
 */
import { createHash, hash } from 'node:crypto';
import type { Engine } from '../engine.js';
import type { StoredStream } from '../resting/resting-page.js';
import { bytesOf, valueIn } from '../resting/stored-form.js';
import { memoriesOf } from './memories.js';

/** A part of memory. */
export interface MemoryItem {
  readonly section: string;
  /** The id of a stream, or the key of an entry; within a map in a map both keys. */
  readonly key: string;
  /** Of a stream its length and the offsets of its first and its last event; '' = an entry. */
  readonly place: string;
  /** The stored state of a stream, or the value of an entry (`valueIn`). */
  readonly bytes: Buffer;
}

/** What a digest says of one section. */
export interface SectionDigest {
  readonly section: string;
  readonly items: number;
  /** Hexadecimal; '' = its items are only counted. */
  readonly sum: string;
}

/** Sections without items are not in it. */
export interface StateDigest {
  /** Of all sections. */
  readonly hex: string;
  /** By their names, in order. */
  readonly sections: readonly SectionDigest[];
}

/** Everything that memory holds now; states that rest as bytes are not woken. */
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

/** An entry of an index as items: the entries of a map in a map come in any order, too. */
export function* entryItems(section: string, key: string, value: unknown): Generator<MemoryItem> {
  if (!(value instanceof Map)) {
    yield { section, key, place: '', bytes: bytesOf(value) };
    return;
  }
  for (const [inner, each] of value) yield* entryItems(section, `${key} ${inner}`, each);
}

/** The digest of all of memory at once; `DigestSum` takes items as they come. */
export function digestOf(items: Iterable<MemoryItem>): StateDigest {
  const sum = new DigestSum();
  for (const item of items) sum.add(item);
  return sum.digest();
}

/** How many 32-bit parts of a SHA-256 are summed, each for itself. */
const sumsCount = 8;

/** Items that were added, in any order. */
export class DigestSum {
  private readonly sections = new Map<string, { items: number; readonly sums: Uint32Array }>();

  /** Takes one item in; the order of items means nothing. */
  add({ section, key, place, bytes }: MemoryItem): void {
    let known = this.sections.get(section);
    if (known === undefined) {
      known = { items: 0, sums: new Uint32Array(sumsCount) };
      this.sections.set(section, known);
    }
    known.items += 1;
    const head = Buffer.from(`${key}\0${place}\0`);
    const digest = hash('sha256', Buffer.concat([head, bytes]), 'hex');
    for (let index = 0; index < sumsCount; index += 1) {
      const part = Number.parseInt(digest.slice(index * 8, index * 8 + 8), 16);
      known.sums[index] = (known.sums[index] ?? 0) + part;
    }
  }

  /** Of all items so far. */
  digest(): StateDigest {
    return digestOfSections(this.ofSections());
  }

  /** What it says of each section so far, in no order. */
  ofSections(): SectionDigest[] {
    return [...this.sections].map(([section, { items, sums }]) => {
      const sum = [...sums].map((each) => each.toString(16).padStart(8, '0')).join('');
      return { section, items, sum };
    });
  }
}

/** Of sections in any order, each of them once. */
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

/** Where two values differ first. */
export interface FirstDifference {
  /** Names and places from the state or value down, `1.entries.0`; '' = all of it. */
  readonly field: string;
  /** undefined = it is not there. */
  readonly one: unknown;
  readonly other: unknown;
}

/** The field in which two items of one section and key differ; null = they say the same. */
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

/** What a value is made of, by name; null = it has no parts. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return null;
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [String(key), each]));
  return new Map(Object.entries(value instanceof Set ? [...value] : value));
}
