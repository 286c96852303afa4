/** Reading one log: by offset in both directions, by time, by index term. */
import { BatchScan, type ScannedBatch } from './batch-scan.js';
import type { FileHandle } from './disk.js';
import type { Offset } from './offset.js';
import { largeChunkBytes, ReadBudget, type ReadOptions, smallChunkBytes } from './read-budget.js';
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

/** How `find` goes through a log. Offsets are half-open: [from, until). */
export interface FindOptions {
  readonly from?: Offset;
  readonly until?: Offset;
  readonly order?: 'oldest' | 'newest';
}

/** A segment that was being read is not there any more: it was trimmed, or another replaced it. */
export class SegmentGone extends Error {}

/** Reads the segments of a log; whoever calls has checked that the range is inside the log. */
export class LogReader {
  constructor(
    private readonly context: StoreContext,
    private readonly log: { readonly id: number; readonly logTag: number },
    private readonly segments: readonly Segment[],
  ) {}

  /** The batches of [from, until), oldest first. */
  async forwards(from: Offset, until: Offset, options: ReadOptions): Promise<RecordBatch[]> {
    const budget = new ReadBudget(options);
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
    const budget = new ReadBudget(options);
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
    let [low, high] = [from, until];
    const isLeft = ({ isEmpty, baseOffset, nextOffset }: Segment) =>
      !isEmpty && baseOffset < high && nextOffset > low;
    while (low < high) {
      const { segments } = this;
      const segment = newestFirst ? segments.findLast(isLeft) : segments.find(isLeft);
      if (segment === undefined) return;
      const found = await this.matches(segment, terms);
      // Gone meanwhile: what stands in its place is looked at instead.
      if (found === null) continue;
      for (const relative of newestFirst ? found.toReversed() : found) {
        const offset = segment.baseOffset + relative;
        // An index may know of records behind the segment's end: recovery moved them to the next.
        if (offset >= segment.nextOffset) continue;
        if (offset >= low && offset < high) yield offset;
      }
      if (newestFirst) high = segment.baseOffset;
      else low = segment.nextOffset;
    }
  }

  /** Reads every batch of a segment, unless it goes meanwhile; rejects with `DamagedData`. */
  async verify(segment: Segment): Promise<void> {
    await this.whole(segment, largeChunkBytes, () => true).catch((error: unknown) => {
      if (!(error instanceof SegmentGone)) throw error;
    });
  }

  /** Every batch of a segment, by the chunk; throws `DamagedData` at the first not intact. */
  async whole(
    segment: Segment,
    chunkBytes: number,
    visit: (batches: ScannedBatch[]) => boolean | Promise<boolean>,
  ): Promise<void> {
    await this.scan(segment, segmentHeaderLength, segment.end, chunkBytes, visit);
  }

  /** Rising offsets, relative to the segment's base; null where the segment has gone meanwhile. */
  private async matches(
    segment: Segment,
    terms: readonly (readonly string[])[],
  ): Promise<readonly number[] | null> {
    try {
      const index = await this.indexOf(segment);
      const lists: number[][] = [];
      for (const anyOf of terms) {
        lists.push(union(await Promise.all(anyOf.map((term) => index.find(term)))));
      }
      return intersection(lists);
    } catch (error) {
      if (this.segments.includes(segment)) throw error;
      return null;
    }
  }

  private from(offset: Offset): Segment[] {
    return this.segments.filter(({ isEmpty, nextOffset }) => !isEmpty && nextOffset > offset);
  }

  private path(segment: Segment): string {
    return this.context.directory.segment(this.log.id, segment.number);
  }

  /**
   * Gives `visit` the batches in bytes [position, limit) of a segment until it returns false.
   * Rejects with `DamagedData`, or `SegmentGone` where the file is not the segment's any more.
   */
  private async scan(
    segment: Segment,
    position: number,
    limit: number,
    chunkBytes: number,
    visit: (batches: ScannedBatch[]) => boolean | Promise<boolean>,
  ): Promise<void> {
    try {
      await this.scanFile(segment, position, limit, chunkBytes, visit);
    } catch (error) {
      throw this.segments.includes(segment) ? error : new SegmentGone();
    }
  }

  private scanFile(
    segment: Segment,
    position: number,
    limit: number,
    chunkBytes: number,
    visit: (batches: ScannedBatch[]) => boolean | Promise<boolean>,
  ): Promise<void> {
    const path = this.path(segment);
    return this.context.openFiles.use(path, async (file: FileHandle) => {
      const { disk } = this.context;
      const { logTag } = this.log;
      const scan = new BatchScan({ disk, file, position, limit, logTag, chain: null, chunkBytes });
      let lastGoodOffset = segment.baseOffset - 1;
      for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
        lastGoodOffset = (batches.at(-1)?.header.nextOffset ?? 0) - 1;
        if (!(await visit(batches))) return;
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
