/**
 * Compares a memory that was folded with a later snapshot of the engine itself. Streams that events
 * have touched since the earlier snapshot, and all entries of indexes, are compared one by one; of
 * other streams, both snapshots must hold as many, with the same sum of checksums.
 */
import { crc32 } from 'node:zlib';
import type { Engine } from '../engine.js';
import type { RememberedMap } from '../registration.js';
import type { StoredStream } from '../resting/resting-stream.js';
import { streamsIn } from '../resting/resting-streams.js';
import { memoriesOf } from './memories.js';
import { awakeIn, awakePrefix, type ImagePart, restingPrefix, takeEntries } from './memory-cut.js';
import { differenceOf, entryItems, type FirstDifference, streamItem } from './state-digest.js';

/** A stream or an entry that differs between two memories; `one` is the engine's. */
export interface DifferingItem extends FirstDifference {
  readonly section: string;
  /** The id of a stream, or the key of an entry; '' = streams that no event has touched. */
  readonly key: string;
}

/** How many differences are named; one defect may affect all. */
const namedMax = 10;

/** The streams of one kind, in one snapshot, that no event has touched. */
interface Untouched {
  count: number;
  sum: number;
}

/** The streams of one kind. */
class ComparedStreams {
  readonly earlier: Untouched = { count: 0, sum: 0 };
  readonly later: Untouched = { count: 0, sum: 0 };
  /** Ids of touched streams that both have. */
  readonly met = new Set<string>();
  /** Ids seen so far: a stream that was awake may come twice. */
  readonly awakeEarlier = new Set<string>();
  readonly awakeLater = new Set<string>();
}

/** Replaces an entry that was compared: an entry left at the end is missing from the snapshot. */
const met = Symbol('met');

/**
 * Pass all parts of the earlier snapshot, fold, then pass all parts of the later one. The engine is
 * a second one beside the server's, made for the comparison.
 */
export class ImageComparison {
  private readonly kinds: ReadonlyMap<string, ComparedStreams>;
  private readonly maps = new Map<string, RememberedMap>();
  private readonly differing: DifferingItem[] = [];

  /** `touched`: the streams of each kind whose events were folded. */
  constructor(
    private readonly engine: Engine,
    private readonly touched: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.kinds = new Map(engine.kinds.map((kind) => [kind, new ComparedStreams()]));
    for (const memory of memoriesOf(engine)) {
      if (memory.mayHoldMore === true) continue;
      for (const [map, entries] of Object.entries(memory.maps)) {
        this.maps.set(`index ${memory.name} ${map}`, entries);
      }
    }
  }

  /** Takes a part of the snapshot from which the folding started. */
  earlier(part: ImagePart): void {
    for (const [kind, stream, isAwake] of streamsOf(part)) {
      const { earlier, awakeEarlier } = this.compared(kind);
      if (this.isTouched(kind, stream) || isAgain(stream, isAwake, awakeEarlier)) continue;
      add(earlier, stream);
    }
  }

  /** Compares a part of the later snapshot, after everything is folded. */
  later(part: ImagePart): void {
    for (const [kind, stream, isAwake] of streamsOf(part)) {
      const { later, awakeLater } = this.compared(kind);
      if (isAgain(stream, isAwake, awakeLater)) continue;
      if (this.isTouched(kind, stream)) this.compareStream(kind, stream);
      else add(later, stream);
    }
    const index = this.maps.get(part.name);
    if (index !== undefined) this.compareEntries(part, index);
  }

  /** Some of the differences, after all parts; empty = both are the same. */
  differences(): readonly DifferingItem[] {
    for (const [kind, { earlier, later, met: found }] of this.kinds) {
      if (earlier.count !== later.count || earlier.sum !== later.sum) {
        this.differs(kind, '', { field: '', one: later, other: earlier });
      }
      const actors = this.engine.actors(kind);
      for (const id of this.touched.get(kind) ?? []) {
        if (!found.has(id) && actors.has(id)) this.differs(kind, id, onlyFolded);
      }
    }
    for (const [name, entries] of this.maps) {
      for (const [key, value] of entries) {
        if (value !== met) this.differs(sectionOf(name), String(key), onlyFolded);
      }
    }
    return this.differing;
  }

  private compareStream(kind: string, stream: StoredStream): void {
    const { id } = stream;
    this.compared(kind).met.add(id);
    const own = this.engine.actors(kind).storedOf(id);
    if (own === undefined) this.differs(kind, id, onlyLive);
    else this.differs(kind, id, differenceOf(streamItem(kind, stream), streamItem(kind, own)));
  }

  private compareEntries({ name, data }: ImagePart, own: RememberedMap): void {
    takeEntries(data, (key, value) => {
      const folded = own.get(key);
      if (folded === met) return;
      own.set(key, met);
      this.differs(sectionOf(name), String(key), entryDifference(value, folded));
    });
  }

  private differs(section: string, key: string, difference: FirstDifference | null): void {
    if (difference === null || this.differing.length === namedMax) return;
    this.differing.push({ section, key, ...difference });
  }

  private isTouched(kind: string, { id }: StoredStream): boolean {
    return this.touched.get(kind)?.has(id) === true;
  }

  private compared(kind: string): ComparedStreams {
    const compared = this.kinds.get(kind);
    if (compared === undefined) throw new Error(`nothing here remembers ${kind}`);
    return compared;
  }
}

const onlyLive: FirstDifference = { field: '', one: 'it is there', other: undefined };
const onlyFolded: FirstDifference = { field: '', one: undefined, other: 'it is there' };

/** `index known runs runs` -> `known runs runs`. */
function sectionOf(name: string): string {
  return name.slice('index '.length);
}

/** The streams of a part, and whether they were awake; nothing for parts without streams. */
function* streamsOf({ name, data }: ImagePart): Generator<[string, StoredStream, boolean]> {
  if (name.startsWith(restingPrefix)) {
    const kind = name.slice(restingPrefix.length);
    for (const stream of streamsIn(data)) yield [kind, stream, false];
  } else if (name.startsWith(awakePrefix)) {
    const kind = name.slice(awakePrefix.length);
    for (const stored of awakeIn(data)) {
      const [id, length, firstOffset, lastOffset, , bytes] = stored;
      yield [kind, { id, length, firstOffset, lastOffset, bytes }, true];
    }
  }
}

function isAgain({ id }: StoredStream, isAwake: boolean, awake: Set<string>): boolean {
  if (!isAwake) return false;
  if (awake.has(id)) return true;
  awake.add(id);
  return false;
}

function add(untouched: Untouched, { id, length, firstOffset, lastOffset, bytes }: StoredStream) {
  untouched.count += 1;
  untouched.sum += crc32(bytes, crc32(`${id} ${length} ${firstOffset} ${lastOffset}`));
}

/** The difference of two entries; maps within an entry have no order. */
function entryDifference(one: unknown, other: unknown): FirstDifference | null {
  if (other === undefined) return onlyLive;
  const [ones, others] = [one, other].map(
    (value) => new Map([...entryItems('', '', value)].map((item) => [item.key, item])),
  );
  for (const key of new Set([...(ones?.keys() ?? []), ...(others?.keys() ?? [])])) {
    const [left, right] = [ones?.get(key), others?.get(key)];
    if (left === undefined) return { ...onlyFolded, field: key };
    if (right === undefined) return { ...onlyLive, field: key };
    const found = differenceOf(left, right);
    if (found !== null) return { ...found, field: [key.trim(), found.field].join('.') };
  }
  return null;
}
