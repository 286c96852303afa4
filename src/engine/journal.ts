/** All streams in one internal partition log, to which turns are appended; reads one or all. */
import type { ArchiveOptions } from '../../storage/compaction/segment-archive.js';
import type { SweepReport } from '../../storage/compaction/sweep.js';
import { DamagedData, TooLarge } from '../../storage/faults/storage-errors.js';
import type { StoredRecord } from '../../storage/format/record.js';
import type { RecordBatch } from '../../storage/format/record-batch.js';
import type { LogWithHistory } from '../../storage/log/archived-log.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import { RecentBatches } from '../../storage/log/recent-batches.js';
import type { Store } from '../../storage/store.js';
import type { EventEnvelope } from './decider.js';
import { type EventCodec, structuresTerm } from './event-codec.js';
import { eventsAt, type SpanSource } from './read-ahead.js';

export { type ArchiveOptions, DamagedData, type SweepReport, TooLarge };

/** The name of the journal's partition log in the store. */
export const journalLogName = '__journal';

/** The journal's log of a store, created at the first start. */
export async function openJournalLog(store: Store): Promise<PartitionLog> {
  const name = journalLogName;
  return store.log(name) ?? store.createLog(name, { preparesNextSegment: true });
}

/** Bytes per read of a replay or of undecoded batches: a copy must not block the event loop. */
const batchesBytes = 1024 * 1024;

/** Bytes per read of events that lie close together; a single record may be larger. */
const spanBytes = 64 * 1024;

/** Reads a record with those behind it in its batch, and nothing of the next batch. */
const restOfBatch = { maxBytes: 1, wholeBatches: true };

/** A scan of the journal starts with small reads, as it may end after a few events. */
const scanBytesMin = 64 * 1024;
const scanBytesMax = 256 * 1024;

/** A query for durable events of the journal, in an order. Offsets are half-open: [from, until). */
export interface JournalQuery {
  /**
   * Index terms: only events that carry one of each list, or seem to (hashes can collide, so the
   * caller checks what it gets). No lists = every event.
   */
  readonly terms: readonly (readonly string[])[];
  readonly from: number;
  readonly until: number;
  readonly order: 'oldest' | 'newest';
}

/** Where the engine appends turns: each whole, or not at all, at the offsets it is encoded for. */
export type TurnLog = Pick<PartitionLog, 'append' | 'flush' | 'endOffset' | 'highWatermark'>;

/**
 * Reads durable events only. Rejects with `DamagedData` if bytes do not read back, or with
 * `OffsetOutOfRange` for reads that start below `startOffset`. Writes nothing: the engine appends.
 */
export class Journal {
  private readonly spans: SpanSource<StoredRecord> = {
    recent: (offset) => this.recent?.find(offset),
    read: (offset, until) => this.log.read(offset, { until, maxBytes: spanBytes }),
    eventIn: (record) => this.eventIn(record),
  };

  constructor(
    private readonly log: LogWithHistory,
    private readonly codec: EventCodec,
    /** Events from this offset on are hidden: a server of the past (ADR 47) ends there. */
    private readonly end: { readonly until: number } = { until: Infinity },
    private readonly recent: RecentBatches | null = null,
  ) {}

  /** A journal for one reader, which does not read its latest 256 KiB (or one batch) again. */
  remembering(): Journal {
    return new Journal(this.log, this.codec, this.end, new RecentBatches());
  }

  /** The first offset that is still here. */
  get startOffset(): number {
    return this.log.startOffset;
  }

  /** Below this offset every event ever written is here, swept or not; 0 = not known. */
  get completeUntil(): number {
    return this.log.completeUntil ?? 0;
  }

  /** The offset that the next event will get. */
  get endOffset(): number {
    return Math.min(this.log.endOffset, this.end.until);
  }

  /** The first offset that is not durable yet. */
  get highWatermark(): number {
    return Math.min(this.log.highWatermark, this.end.until);
  }

  /** Calls `wake` once, when there is more to read than up to `offset`; the result cancels. */
  whenBeyond(offset: number, wake: () => void): () => void {
    return this.log.whenBeyond(offset, wake);
  }

  /** The segments of the log, oldest first. */
  get segments(): PartitionLog['segments'] {
    return this.log.segments;
  }

  /** Seals the growing segment: all that is in the journal now is sealed when this settles. */
  async seal(): Promise<void> {
    // The next segment is made first, so that no turn waits for it.
    await this.log.prepare();
    await this.log.roll();
  }

  /**
   * Removes the events at offsets that `keeps` refuses from the sealed segments below `until`;
   * awaits `settled` before anything is removed; by then `archive` has a copy of all. Definitions
   * of shapes stay.
   */
  sweep(
    until: number,
    keeps: (offset: number) => boolean,
    settled: () => Promise<void>,
    archive?: ArchiveOptions,
  ): Promise<SweepReport> {
    return this.log.sweep({
      until,
      keeps: ({ key, offset }) => key === null || keeps(offset),
      settled,
      ...(archive !== undefined && { archive }),
    });
  }

  /** The durable event at an offset; null if the offset holds none. */
  async read(offset: number): Promise<EventEnvelope | null> {
    return this.eventIn(await this.record(offset));
  }

  /** Reads the latest table of shapes, so that a reader may begin at any offset. */
  async learnShapes(): Promise<void> {
    for await (const offset of this.log.find(structuresTerm, { order: 'newest' })) {
      const definition = await this.record(offset);
      // The latest definition contains all earlier ones.
      if (definition !== null) this.codec.decode(definition);
      return;
    }
  }

  /**
   * The durable events at `offsets`, in that order; null if an offset holds none. Neighbours are
   * read together, and some reads run in parallel. The caller will surely take `taken` events.
   */
  readEach(
    offsets: AsyncIterable<number> | Iterable<number>,
    taken = 1,
  ): AsyncGenerator<EventEnvelope | null> {
    return eventsAt(offsets, this.spans, taken);
  }

  /** Events of the stream with this id in [from, until), oldest first, by the key index. */
  async *find(id: string, from: number, until: number): AsyncGenerator<EventEnvelope> {
    for await (const envelope of this.query({ terms: [[id]], from, until, order: 'oldest' })) {
      // Streams share the index with labels and the like, which may be the same text.
      if (envelope.id === id) yield envelope;
    }
  }

  /** The lowest offset whose event happened at `time` (Unix milliseconds) or after it. */
  offsetFor(time: number): Promise<number> {
    return this.log.offsetFor(time);
  }

  /** The events that match a query, in its order. The cost depends on how many are taken. */
  async *query({ terms, ...range }: JournalQuery): AsyncGenerator<EventEnvelope> {
    if (terms.length === 0) return yield* this.scan(range);
    for await (const envelope of this.readEach(this.log.candidates(terms, range))) {
      if (envelope !== null) yield envelope;
    }
  }

  /** Offsets of durable events that seem to match a query with lists of terms, in its order. */
  offsets({ terms, ...range }: JournalQuery): AsyncGenerator<number> {
    return this.log.candidates(terms, range);
  }

  /** The events of one stream, newest first, from the one at `lastOffset` along the chain. */
  async *readStream(lastOffset: number): AsyncGenerator<EventEnvelope> {
    for (let offset = lastOffset; offset >= this.log.startOffset; ) {
      const envelope = await this.read(offset);
      if (envelope === null) return;
      yield envelope;
      offset = envelope.previous;
    }
  }

  /** Every durable event from `from` on, oldest first. */
  async *replay(from: number = this.log.startOffset): AsyncGenerator<EventEnvelope[]> {
    let ahead = this.readAhead(from);
    while (ahead !== null) {
      const batches = await ahead;
      const last = batches.at(-1);
      // The next part is read from disk while this part is folded.
      ahead = last === undefined ? null : this.readAhead(last.nextOffset);
      for (const batch of batches) yield this.events(batch.records());
      if (last !== undefined && last.nextOffset >= this.end.until) return;
    }
  }

  /** Decodes records that follow those of the last call; learns shapes on the way. */
  events(records: readonly StoredRecord[]): EventEnvelope[] {
    const envelopes: EventEnvelope[] = [];
    for (const record of records) {
      if (record.offset >= this.end.until) break;
      const envelope = this.codec.decode(record);
      if (envelope !== null) envelopes.push(envelope);
    }
    return envelopes;
  }

  /** Durable batches of [from, until), oldest first, not decoded; ends between two turns. */
  async *batches(from: number, until: number): AsyncGenerator<readonly RecordBatch[]> {
    for (let at = Math.max(from, this.log.startOffset); at < until; ) {
      const batches = await this.log.read(at, { until, maxBytes: batchesBytes, once: true });
      const last = batches.at(-1);
      if (last === undefined) return;
      yield batches;
      at = last.nextOffset;
    }
  }

  /** Where the journal would continue after a power cut; in the lazy modes it syncs first. */
  async synced(): Promise<number> {
    const end = this.log.highWatermark;
    await this.log.sync();
    return end;
  }

  private async *scan({
    from,
    until,
    order,
  }: Omit<JournalQuery, 'terms'>): AsyncGenerator<EventEnvelope> {
    const isBackwards = order === 'newest';
    const first = Math.max(from, this.log.startOffset);
    const end = Math.min(until, this.highWatermark);
    let maxBytes = scanBytesMin;
    for (let at = isBackwards ? end : first; isBackwards ? at > first : at < end; ) {
      const batches = isBackwards
        ? await this.log.read(at, { backwards: true, until: first, maxBytes, once: true })
        : await this.log.read(at, { until: end, maxBytes, once: true });
      this.recent?.add(batches);
      maxBytes = Math.min(maxBytes * 2, scanBytesMax);
      const last = batches.at(-1);
      if (last === undefined) return;
      for (const batch of batches) yield* this.known(batch);
      at = isBackwards ? last.baseOffset : last.nextOffset;
    }
  }

  private readAhead(offset: number): Promise<RecordBatch[]> | null {
    if (offset >= this.highWatermark) return null;
    const batches = this.log.read(offset, { maxBytes: batchesBytes, once: true });
    // The caller that awaits the read meets the error; until then it must not count as unhandled.
    batches.catch(() => undefined);
    return batches;
  }

  /** The events of a batch; all shapes are known by now, whenever the batch was written. */
  private *known(batch: RecordBatch): Generator<EventEnvelope> {
    for (const record of batch.records()) {
      const envelope = this.eventIn(record);
      if (envelope !== null) yield envelope;
    }
  }

  private eventIn(record: StoredRecord | null): EventEnvelope | null {
    return record === null || record.keyLength < 0 ? null : this.codec.decode(record);
  }

  private async record(offset: number): Promise<StoredRecord | null> {
    const { log, recent } = this;
    if (recent === null) {
      const [batch] = await log.read(offset, { maxRecords: 1, until: offset + 1 });
      return batch?.record(offset) ?? null;
    }
    const known = recent.find(offset);
    if (known !== undefined) return known.record(offset);
    const batches = await log.read(offset, { ...restOfBatch, until: offset + 1 });
    recent.add(batches);
    return batches[0]?.record(offset) ?? null;
  }
}
