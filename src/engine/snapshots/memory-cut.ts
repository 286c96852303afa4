/**
 * All of memory as it was between two turns, in parts that are made while the engine keeps running:
 * each part takes a few milliseconds. The old value of whatever changes is kept until it is stored.
 *
 *     shapes              the table of the event codec
 *     streams <kind>      the resting streams, in pages (`resting-parts.ts`); first without pages
 *     awake <kind>        the others, as they would rest: a list of lists; one may come twice
 *     index <name> <map>  entries of a map of an index, keys and values in turn; as above
 *     durable <name>      the memory of an index of durable events
 */
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import type { IndexParts } from '../registration.js';
import type { RestingStream } from '../resting/resting-stream.js';
import { bytesOf, valueIn } from '../resting/stored-form.js';
import type { StreamsCut } from '../resting/streams-cut.js';
import { memoriesOf } from './memories.js';

/** A part of the image; several parts may have the same name. */
export interface ImagePart {
  readonly name: string;
  readonly data: Buffer;
}

/** A stream that was awake, as a tuple. */
type StoredAwake = readonly [
  id: string,
  length: number,
  firstOffset: number,
  lastOffset: number,
  /** `never` = it wants nothing. */
  wantedAt: number,
  bytes: Buffer,
];

/**
 * How many entries of a map, or how many awake streams (whose states must be encoded first), make
 * one part; a long entry counts as several (`lengthOf`).
 */
interface PartSizes {
  readonly entries: number;
  readonly awake: number;
}

const shippedSizes: PartSizes = { entries: 1024, awake: 256 };

/** Used by `SnapshotKeeper` only. Until `end`, memory keeps what has changed since. */
export class MemoryCut {
  private readonly shapes: string;
  private readonly resting: readonly (readonly [kind: string, cut: StreamsCut])[];
  private readonly durable: Promise<void>;
  private readonly indexes: (readonly [name: string, parts: IndexParts])[] = [];
  private isOver = false;

  /** Cuts memory between two turns, after `end` of the cut before. Only tests pass `sizes`. */
  constructor(
    private readonly engine: Engine,
    codec: EventCodec,
    private readonly sizes = shippedSizes,
  ) {
    this.shapes = codec.shapes;
    engine.images.begin();
    this.resting = engine.kinds.map((kind) => [kind, engine.actors(kind).resting.cut()]);
    this.durable = new Promise((resolve) => {
      engine.groups.between(() => {
        if (!this.isOver) this.storeIndexes();
        resolve();
      });
    });
  }

  /** All parts; can be called once. */
  async *parts(): AsyncGenerator<ImagePart> {
    yield { name: 'shapes', data: Buffer.from(this.shapes) };
    for (const [kind, cut] of this.resting) yield { name: restingPrefix + kind, data: cut.head() };
    // Each change of a map that is not stored yet is noted, and a page notes only what leaves it:
    // so the maps come first, and the pages, which may take seconds, last.
    yield* this.awake();
    yield* this.entries();
    this.engine.images.end();
    await this.durable;
    for (const [name, index] of this.indexes) {
      for (const part of index.parts()) yield { name: `durable ${name}`, data: bytesOf(part) };
      index.end();
    }
    for (const [kind, cut] of this.resting) {
      for (const data of cut.parts()) yield { name: restingPrefix + kind, data };
    }
  }

  /** Releases memory; the cut is of no use afterwards. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.engine.images.end();
    for (const [, cut] of this.resting) cut.end();
    for (const [, index] of this.indexes) index.end();
  }

  private *awake(): Generator<ImagePart> {
    for (const kind of this.engine.kinds) {
      const awake = this.engine.actors(kind).storedAwake();
      yield* partsOf(`${awakePrefix}${kind}`, awake, this.sizes.awake, (list) =>
        list.map(storedAwake),
      );
    }
  }

  private *entries(): Generator<ImagePart> {
    for (const { name, maps } of memoriesOf(this.engine)) {
      for (const [map, entries] of Object.entries(maps)) {
        const passed = this.engine.images.pass(entries);
        const stored = (list: readonly (readonly [unknown, unknown])[]) => list.flat(1);
        yield* partsOf(`index ${name} ${map}`, passed, this.sizes.entries, stored, lengthOf);
      }
    }
  }

  private storeIndexes(): void {
    for (const { name, store } of this.engine.indexes.memories) this.indexes.push([name, store()]);
  }
}

/** The beginning of a part's name if the part holds resting streams of a kind; the kind follows. */
export const restingPrefix = 'streams ';
/** The beginning of the name if the streams were awake. */
export const awakePrefix = 'awake ';

function* partsOf<Item>(
  name: string,
  items: Iterable<Item>,
  count: number,
  stored: (part: readonly Item[]) => unknown,
  counted: (item: Item) => number = () => 1,
): Generator<ImagePart> {
  let part: Item[] = [];
  let length = 0;
  for (const item of items) {
    part.push(item);
    length += counted(item);
    if (length < count) continue;
    yield { name, data: bytesOf(stored(part)) };
    part = [];
    length = 0;
  }
  if (part.length > 0) yield { name, data: bytesOf(stored(part)) };
}

/** How many items of a list, or of a map within the map, count like one entry. */
const itemsOfEntry = 16;

/** How many entries one counts as: its value may be long, like the list of what a stretch needs. */
function lengthOf([, value]: readonly [unknown, unknown]): number {
  const items = Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0;
  return Math.max(1, items / itemsOfEntry);
}

function storedAwake(stream: RestingStream): StoredAwake {
  const { id, length, firstOffset, lastOffset, wantedAt, bytes } = stream;
  const at = wantedAt === Number.POSITIVE_INFINITY ? never : wantedAt;
  return [id, length, firstOffset, lastOffset, at, bytes];
}

/** The streams of a part `awake`, as `storedAwake` made them: this gives the bytes their type. */
export function awakeIn(data: Buffer): readonly StoredAwake[] {
  return valueIn(data) as readonly StoredAwake[];
}

/** Calls `take` with the entries of a part `index`, which were those of a `RememberedMap`. */
export function takeEntries(
  data: Buffer,
  take: (key: string | number, value: unknown) => void,
): void {
  // The bytes get their types here: each key is followed by its value.
  const keysAndValues = valueIn(data) as readonly unknown[];
  for (let at = 0; at < keysAndValues.length; at += 2) {
    take(keysAndValues[at] as string | number, keysAndValues[at + 1]);
  }
}

/** Stored instead of Infinity. */
export const never = -1;
