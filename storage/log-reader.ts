/** Reading one log: by offset in both directions, by time, by index term. */
import { BatchScan, type ScannedBatch } from './batch-scan.js';
import type { FileHandle } from './disk.js';
import type { Offset } from './offset.js';
import { BatchView, type RecordBatch } from './record-batch.js';
import { addRecordTerms } from './record-terms.js';
import { intersection, union } from './rising-offsets.js';
import type { Segment } from './segment.js';
import { segmentHeaderLength } from './segment-format.js';
import { SegmentIndex, storedKeysOf } from './segment-index.js';
import { DamagedData } from './storage-errors.js';
import type { StoreContext } from './store-context.js';
import { type RecordFinder, StoredIndex } from './stored-index.js';
import { readWhole } from './whole-file.js';

/** How much of a log a read takes. */
export interface ReadOptions {
  /** Stops before a batch that would exceed this, but for the first. Default 1 MiB. */
  readonly maxBytes?: number;
  readonly maxRecords?: number;
  /** Forwards: the end, exclusive. Backwards: the start, inclusive. */
  readonly until?: Offset;
  /** Newest first: the records before `from`. */
  readonly backwards?: boolean;
}

const defaultBytes = 1024 * 1024;
/** A read of little reads little: two index intervals hold any small batch. */
const smallChunkBytes = 32 * 1024;
const largeChunkBytes = 1024 * 1024;

/** What is left of a read. */
class Budget {
  private bytes: number;
  private records: number;
  private readonly batches: RecordBatch[] = [];

  constructor(options: ReadOptions) {
    this.bytes = options.maxBytes ?? defaultBytes;
    this.records = options.maxRecords ?? Number.POSITIVE_INFINITY;
  }

  get isSpent(): boolean {
    return this.batches.length > 0 && (this.bytes <= 0 || this.records <= 0);
  }

  get chunkBytes(): number {
    if (this.records < 16) return smallChunkBytes;
    return Math.min(Math.max(this.bytes, smallChunkBytes), largeChunkBytes);
  }

  /** Takes what [from, until) has of a batch; false when the read is over. */
  take({ header, body }: ScannedBatch, from: Offset, until: Offset, backwards: boolean): boolean {
    const whole = new BatchView(header, body, from, until, backwards);
    // Offsets that a crash in a lazy mode left empty: given, so that a reader gets past them.
    if (header.recordCount === 0) {
      this.batches.push(whole);
      return true;
    }
    if (this.batches.length > 0 && whole.byteLength > this.bytes) {
      this.bytes = 0;
      return false;
    }
    const start = backwards ? Math.max(from, whole.nextOffset - this.records) : from;
    const end = backwards ? until : Math.min(until, whole.baseOffset + this.records);
    const batch = new BatchView(header, body, start, end, backwards);
    this.batches.push(batch);
    this.bytes -= batch.byteLength;
    this.records -= batch.nextOffset - batch.baseOffset;
    return !this.isSpent;
  }

  get result(): RecordBatch[] {
    return this.batches;
  }
}

/** Reads the segments of a log; whoever calls has checked that the range is inside the log. */
export class LogReader {
  constructor(
    private readonly context: StoreContext,
    private readonly log: { readonly id: number; readonly logTag: number },
    private readonly segments: readonly Segment[],
  ) {}

  /** The batches of [from, until), oldest first. */
  async forwards(from: Offset, until: Offset, options: ReadOptions): Promise<RecordBatch[]> {
    const budget = new Budget(options);
    for (const segment of this.from(from)) {
      if (segment.baseOffset >= until || budget.isSpent) break;
      const index = await this.indexOf(segment);
      const position = index.offsets.positionOf(Math.max(0, from - segment.baseOffset));
      await this.scan(segment, position, segment.end, budget.chunkBytes, (batches) =>
        batches.every((batch) => {
          if (batch.header.nextOffset <= from) return true;
          if (batch.header.baseOffset >= until) return false;
          return budget.take(batch, from, until, false);
        }),
      );
    }
    return budget.result;
  }

  /** The batches of [until, from), newest first. */
  async backwards(from: Offset, until: Offset, options: ReadOptions): Promise<RecordBatch[]> {
    const budget = new Budget(options);
    const older = this.segments.filter(({ isEmpty, baseOffset }) => !isEmpty && baseOffset < from);
    for (const segment of older.reverse()) {
      if (segment.nextOffset <= until || budget.isSpent) break;
      const { offsets } = await this.indexOf(segment);
      let end = segment.end;
      let position = offsets.positionOf(Math.max(0, from - 1 - segment.baseOffset));
      while (end > segmentHeaderLength && !budget.isSpent) {
        const interval: ScannedBatch[] = [];
        await this.scan(segment, position, end, smallChunkBytes, (batches) => {
          for (const batch of batches) {
            if (batch.header.baseOffset >= from) return false;
            interval.push(batch);
          }
          return true;
        });
        const goesOn = interval.reverse().every((batch) => {
          if (batch.header.nextOffset <= until) return false;
          return batch.header.baseOffset >= from || budget.take(batch, until, from, true);
        });
        if (!goesOn) return budget.result;
        end = position;
        position = offsets.positionBelow(end);
      }
    }
    return budget.result;
  }

  /** The lowest offset below `until` whose record has a timestamp of at least `timestamp`. */
  async offsetFor(timestamp: number, until: Offset): Promise<Offset | null> {
    for (const segment of this.from(0)) {
      if (segment.maxTimestamp < timestamp) continue;
      const index = await this.indexOf(segment);
      const position = index.offsets.positionOfTime(timestamp);
      let found: Offset | null = null;
      await this.scan(segment, position, segment.end, smallChunkBytes, (batches) => {
        for (const { header, body } of batches) {
          if (header.maxTimestamp < timestamp) continue;
          const view = new BatchView(header, body, 0, until, false);
          found = view.records().find((record) => record.timestamp >= timestamp)?.offset ?? null;
          if (found !== null) return false;
        }
        return true;
      });
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * Offsets in [from, until) of records that may carry at least one term of each list, by segment,
   * in the order asked for.
   */
  async *candidates(
    terms: readonly (readonly string[])[],
    from: Offset,
    until: Offset,
    newestFirst: boolean,
  ): AsyncGenerator<Offset> {
    const segments = this.from(from);
    for (const segment of newestFirst ? segments.reverse() : segments) {
      if (segment.baseOffset >= until) continue;
      const found = await this.matches(segment, terms);
      for (const relative of newestFirst ? found.toReversed() : found) {
        const offset = segment.baseOffset + relative;
        // An index may know of records behind the segment's end: recovery moved them to the next.
        if (offset >= segment.nextOffset) continue;
        if (offset >= from && offset < until) yield offset;
      }
    }
  }

  /** Reads every batch of a segment again; throws `DamagedData` at the first that is not intact. */
  async verify(segment: Segment): Promise<void> {
    await this.scan(segment, segmentHeaderLength, segment.end, largeChunkBytes, () => true);
  }

  /** Rising offsets, relative to the segment's base; none where the segment has gone meanwhile. */
  private async matches(
    segment: Segment,
    terms: readonly (readonly string[])[],
  ): Promise<readonly number[]> {
    try {
      const index = await this.indexOf(segment);
      const lists: number[][] = [];
      for (const anyOf of terms) {
        lists.push(union(await Promise.all(anyOf.map((term) => index.find(term)))));
      }
      return intersection(lists);
    } catch (error) {
      if (this.segments.includes(segment)) throw error;
      return [];
    }
  }

  private from(offset: Offset): Segment[] {
    return this.segments.filter(({ isEmpty, nextOffset }) => !isEmpty && nextOffset > offset);
  }

  private path(segment: Segment): string {
    return this.context.directory.segment(this.log.id, segment.number);
  }

  /** Gives `visit` the batches from `position` on until it returns false. */
  private scan(
    segment: Segment,
    position: number,
    limit: number,
    chunkBytes: number,
    visit: (batches: ScannedBatch[]) => boolean,
  ): Promise<void> {
    const path = this.path(segment);
    return this.context.openFiles.use(path, async (file: FileHandle) => {
      const { disk } = this.context;
      const { logTag } = this.log;
      const scan = new BatchScan({ disk, file, position, limit, logTag, chain: null, chunkBytes });
      let lastGoodOffset = segment.baseOffset - 1;
      for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
        lastGoodOffset = (batches.at(-1)?.header.nextOffset ?? 0) - 1;
        if (!visit(batches)) return;
      }
      if (scan.position >= limit) return;
      const good = lastGoodOffset < 0 ? null : lastGoodOffset;
      throw new DamagedData(
        { file: path, from: scan.position, to: limit, lastGoodOffset: good },
        scan.fault ?? 'the file ends too early',
      );
    });
  }

  private async indexOf(segment: Segment): Promise<RecordFinder> {
    if (segment.index !== null) return segment.index;
    const { context, log } = this;
    const path = context.directory.index(log.id, segment.number);
    const cached = context.indexes.get(path);
    if (cached !== undefined) return cached;
    const bytes = await readWhole(context.disk, path).catch(() => null);
    const place = { logTag: log.logTag, number: segment.number, segment };
    const read = bytes === null ? null : SegmentIndex.decode(bytes, place);
    const index =
      bytes === null || read === null
        ? await this.rebuildIndex(segment)
        : new StoredIndex(context.disk, context.openFiles, path, storedKeysOf(bytes), read.offsets);
    context.indexes.set(path, index);
    return index;
  }

  private async rebuildIndex(segment: Segment): Promise<SegmentIndex> {
    const index = new SegmentIndex();
    await this.scan(segment, segmentHeaderLength, segment.end, largeChunkBytes, (batches) => {
      for (const { header, body, position } of batches) {
        index.addBatch(header, header.baseOffset - segment.baseOffset, position);
        addRecordTerms(index, body, header.baseOffset, segment.baseOffset);
      }
      return true;
    });
    return index;
  }
}
