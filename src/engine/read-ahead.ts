/**
 * Reads ahead: several reads run at once, and their results come in order. Both ways to read ahead
 * start with little and grow, so that a reader who takes one thing costs one read.
 */

import type { EventEnvelope } from './decider.js';

/** Offsets in a list that lie further apart than this are read separately. */
const gapMax = 32;
const spanMax = 64;

type Some<Item> = AsyncIterable<Item> | Iterable<Item>;

/** Bytes that one read should bring, at most. */
const spanBytesMax = 1024 * 1024;

/** How many offsets one read covers: doubles each time, but shrinks if the reads bring much. */
export class SpanLength {
  private length: number;

  /** The caller will surely take `taken` offsets: the first read may cover as many. */
  constructor(taken = 1) {
    this.length = Math.max(1, Math.min(taken, spanMax));
  }

  /** How many offsets the next read may cover. */
  get max(): number {
    return this.length;
  }

  /** Adapts to a read for `count` offsets: it brought `bytes` that one for fewer might not have. */
  learn(count: number, bytes: number): void {
    const fitting = Math.floor((spanBytesMax * count) / Math.max(bytes, 1));
    this.length = Math.max(1, Math.min(this.length * 2, fitting, spanMax));
  }
}

/** Runs of offsets that lie close together, in the order given: one read covers a run. */
export async function* spansOf(
  offsets: Some<number>,
  length: SpanLength,
): AsyncGenerator<number[]> {
  let span: number[] = [];
  for await (const offset of offsets) {
    const last = span.at(-1);
    const isFar = last !== undefined && Math.abs(offset - last) > gapMax;
    if (isFar || span.length >= length.max) {
      yield span;
      span = [];
    }
    span.push(offset);
  }
  if (span.length > 0) yield span;
}

/** How far `mappedAhead` reads ahead. */
export interface AheadOptions<Result> {
  /** How many results are in the making at once, at most. */
  readonly widthMax: number;
  /** After a large result the next ones are made one at a time, so that few are held in memory. */
  readonly isLarge: (result: Result) => boolean;
}

/** The result of one read of a journal; `bytes` is what it holds in memory. */
interface ReadSpan {
  /** The events at the first offsets of the span, or at all. */
  readonly envelopes: readonly (EventEnvelope | null)[];
  readonly bytes: number;
  /** The part of `bytes` due to the number of offsets: even one offset needs a whole batch. */
  readonly bytesOfLength: number;
}

/** Some records that were read together. */
interface Batch<Found> {
  readonly nextOffset: number;
  readonly byteLength: number;
  readonly content: { readonly header: { readonly recordCount: number } };
  record(offset: number): Found | null;
}

/** Where the events of a span are read from. */
export interface SpanSource<Found> {
  /** The batch with this offset, if it was read before. */
  recent(offset: number): Batch<Found> | undefined;
  /** Batches from the one with this offset on; it may return fewer than up to `until`. */
  read(offset: number, until: number): Promise<readonly Batch<Found>[]>;
  eventIn(record: Found | null): EventEnvelope | null;
}

/**
 * The events at `offsets`, in that order; null if an offset holds none. Of large events only the
 * first ones: a span that has brought more than `spanBytesMax` ends, as all of it is in memory at
 * once, and one commit can bring some 80 MB.
 */
async function readSpan<Found>(
  offsets: readonly number[],
  source: SpanSource<Found>,
): Promise<ReadSpan> {
  const span = await readInOrder(offsets, source);
  // The reader goes backwards, and what it wants first was not reached.
  return span.envelopes.length > 0 ? span : readInOrder(offsets.slice(0, 1), source);
}

/** Reads forwards, as a log is read, whatever the order of the offsets. */
async function readInOrder<Found>(
  offsets: readonly number[],
  source: SpanSource<Found>,
): Promise<ReadSpan> {
  const found = new Map<number, EventEnvelope | null>();
  const until = Math.max(...offsets) + 1;
  let batches: readonly Batch<Found>[] = [];
  let bytes = 0;
  let bytesOfLength = 0;
  for (const offset of [...offsets].sort((one, other) => one - other)) {
    let batch = batches.find((each) => offset < each.nextOffset) ?? source.recent(offset);
    if (batch === undefined) {
      if (bytes > spanBytesMax) break;
      batches = await source.read(offset, until);
      batch = batches[0];
      const read = batches.reduce((sum, { byteLength }) => sum + byteLength, 0);
      bytesOfLength += bytes > 0 || batch === undefined ? read : read - shared(batch);
      bytes += read;
    }
    found.set(offset, source.eventIn(batch?.record(offset) ?? null));
  }
  const missing = offsets.findIndex((offset) => !found.has(offset));
  const reached = missing === -1 ? offsets : offsets.slice(0, missing);
  const envelopes = reached.map((offset) => found.get(offset) ?? null);
  return { envelopes, bytes, bytesOfLength };
}

/** The bytes of a batch beside one of its records: they may hold the next offset, too. */
function shared({ byteLength, content }: Batch<unknown>): number {
  return byteLength - byteLength / Math.max(content.header.recordCount, 1);
}

/** How many spans are read at once, unless they bring much. */
const spansAhead: AheadOptions<ReadSpan> = {
  widthMax: 4,
  isLarge: ({ bytes }) => bytes > 1024 * 1024,
};

/**
 * What `make` makes of each item, in the order of the items. Rejects with the first failure in that
 * order. A consumer that stops early leaves at most `widthMax` results unused.
 */
export async function* mappedAhead<Item, Result>(
  items: Some<Item>,
  make: (item: Item) => Promise<Result>,
  { widthMax, isLarge }: AheadOptions<Result>,
): AsyncGenerator<Result> {
  const ahead: Promise<Result>[] = [];
  let width = 1;
  for await (const item of items) {
    const result = make(item);
    // The reader meets the failure in its turn; until then it must not count as unhandled.
    result.catch(() => undefined);
    ahead.push(result);
    for (let next = firstOf(ahead, width); next !== undefined; next = firstOf(ahead, width)) {
      const first = await next;
      yield first;
      width = isLarge(first) ? 1 : Math.min(width * 2, widthMax);
    }
  }
  for (const result of ahead) yield await result;
}

/** Takes the first one, if there are as many as are to be made at once; otherwise undefined. */
function firstOf<Result>(ahead: Promise<Result>[], width: number): Promise<Result> | undefined {
  return ahead.length < width ? undefined : ahead.shift();
}

/**
 * The events at `offsets`, in that order; null if an offset holds none. Offsets close together are
 * read together, and some reads run at once. The caller will surely take `taken` events.
 */
export async function* eventsAt<Found>(
  offsets: Some<number>,
  source: SpanSource<Found>,
  taken: number,
): AsyncGenerator<EventEnvelope | null> {
  const length = new SpanLength(taken);
  const read = async (span: readonly number[]) => {
    const found = await readSpan(span, source);
    const { envelopes, bytesOfLength } = found;
    length.learn(envelopes.length, bytesOfLength);
    return { ...found, rest: span.slice(envelopes.length) };
  };
  const reads = mappedAhead(spansOf(offsets, length), read, spansAhead);
  for await (let { envelopes, rest } of reads) {
    yield* envelopes;
    while (rest.length > 0) {
      ({ envelopes, rest } = await read(rest));
      yield* envelopes;
    }
  }
}
