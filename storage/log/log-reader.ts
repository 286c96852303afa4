/** Reading one log: by offset in both directions, by time, by index term. */
import { diskError } from '../faults/storage-errors.js';
import type { ScannedBatch } from '../format/batch-scan.js';
import { BatchView, type RecordBatch } from '../format/record-batch.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { Offset, OffsetRange } from '../offsets/offset.js';
import { intersection } from '../offsets/rising-offsets.js';
import { ReadBudget, type ReadOptions, smallChunkBytes } from '../segment/read-budget.js';
import type { DamagedSpan, Segment } from '../segment/segment.js';
import { damagedRanges } from '../segment/segment-damage.js';
import {
  SegmentChanged,
  type SegmentRange,
  type SegmentReader,
} from '../segment/segment-reader.js';

/** Options of `find`. Offsets are half-open: [from, until). */
export interface FindOptions {
  readonly from?: Offset;
  readonly until?: Offset;
  readonly order?: 'oldest' | 'newest';
}

/** The answer for every time in [since, until], valid while its segment is unchanged. */
interface FoundTime {
  readonly since: number;
  /** The time of the record at `offset`. */
  readonly until: number;
  readonly offset: Offset;
  readonly segment: Segment;
}

/** A log that is searched for offsets: its own segments alone, or with an archive. */
interface SearchedLog {
  candidates(terms: readonly (readonly string[])[], options: FindOptions): AsyncGenerator<Offset>;
  read(from: Offset, options: ReadOptions): Promise<RecordBatch[]>;
}

/** The offsets of records that carry the index term `term`; reads them, as hashes can collide. */
export async function* offsetsOf(
  log: SearchedLog,
  term: string,
  options: FindOptions,
): AsyncGenerator<Offset> {
  for await (const offset of log.candidates([[term]], options)) {
    const [batch] = await log.read(offset, { maxRecords: 1 });
    if (batch?.record(offset)?.terms.includes(term) === true) yield offset;
  }
}

/**
 * Reads the segments of a log; the caller has checked that the range is inside the log. Rejects
 * with `SegmentChanged` if the same call may now have another result, and with `DamagedOffsets` if
 * damage comes next; batches before the damage are returned first.
 */
export class LogReader {
  /** The last answer: the start of retention is asked for often and changes seldom. */
  private latest: FoundTime | null = null;

  constructor(private readonly reader: SegmentReader) {}

  /** The batches of [from, until), oldest first. */
  async forwards(from: Offset, until: Offset, options: ReadOptions): Promise<RecordBatch[]> {
    const budget = new ReadBudget(options);
    for (const segment of this.from(from)) {
      if (segment.baseOffset >= until || budget.isSpent) break;
      const index = await this.reader.indexOf(segment);
      const { baseOffset } = segment;
      const position = index.offsets.positionOf(Math.max(0, from - baseOffset));
      const limit = Math.min(segment.end, index.offsets.positionBeyond(until - 1 - baseOffset));
      let isOver = false;
      const visit = (batches: ScannedBatch[]) => {
        const mayContinue = batches.every((batch) => {
          if (batch.header.nextOffset <= from) return true;
          if (batch.header.baseOffset >= until) return false;
          return budget.take(batch, from, until, false);
        });
        return mayContinue && budget.endChunk();
      };
      const range = { position, limit, chunkBytes: budget.chunkBytes };
      await this.reader.scan(segment, range, visit, (span) => {
        if (span.until <= from) return true;
        if (span.from < until && budget.result.length === 0) this.reader.refuse(segment, span);
        isOver = true;
        return false;
      });
      if (isOver) break;
    }
    return budget.result;
  }

  /** The batches of [until, from), newest first. */
  async backwards(from: Offset, until: Offset, options: ReadOptions): Promise<RecordBatch[]> {
    const budget = new ReadBudget(options);
    const older = this.segments.filter(({ isEmpty, baseOffset }) => !isEmpty && baseOffset < from);
    for (const segment of older.reverse()) {
      if (segment.nextOffset <= until || budget.isSpent) break;
      const { offsets } = await this.reader.indexOf(segment);
      const last = from - 1 - segment.baseOffset;
      let end = Math.min(segment.end, offsets.positionBeyond(last));
      let position = offsets.positionOf(Math.max(0, last));
      while (end > segmentHeaderLength) {
        const { chunkBytes } = budget;
        // Take as many intervals as one read covers: each read costs a turn of a thread.
        while (position > segmentHeaderLength) {
          const below = offsets.positionBelow(position);
          if (end - below > chunkBytes) break;
          position = below;
        }
        const range = { position, limit: end, chunkBytes };
        const interval = await this.interval(segment, range, from);
        const mayContinue = interval.reverse().every((part) => {
          if (!('header' in part)) {
            if (part.from >= from) return true;
            if (part.until > until && budget.result.length === 0) {
              this.reader.refuse(segment, part);
            }
            return false;
          }
          if (part.header.nextOffset <= until) return false;
          return part.header.baseOffset >= from || budget.take(part, until, from, true);
        });
        if (!mayContinue || !budget.endChunk()) return budget.result;
        end = position;
        position = offsets.positionBelow(end);
      }
    }
    return budget.result;
  }

  /**
   * The lowest offset in [from, until) whose record has a timestamp of at least `timestamp`;
   * callers never pass a lower `from` than before.
   */
  async offsetFor(timestamp: number, from: Offset, until: Offset): Promise<Offset | null> {
    const { latest } = this;
    const isKnown = latest !== null && latest.since <= timestamp && timestamp <= latest.until;
    if (isKnown && latest.offset >= from && this.segments.includes(latest.segment)) {
      return latest.offset;
    }
    try {
      const found = await this.firstSince(timestamp, from, until);
      this.latest = found ?? this.latest;
      return found?.offset ?? null;
    } catch (error) {
      if (error instanceof SegmentChanged) return this.offsetFor(timestamp, from, until);
      throw diskError('looking for a time', error);
    }
  }

  private async firstSince(since: number, from: Offset, until: Offset): Promise<FoundTime | null> {
    for (const segment of this.from(from)) {
      if (segment.maxTimestamp < since) continue;
      const index = await this.reader.indexOf(segment);
      const position = index.offsets.positionOfTime(since);
      const range = { position, limit: segment.end, chunkBytes: smallChunkBytes };
      // Cast because a callback sets it: the compiler would assume it stays null.
      let found = null as FoundTime | null;
      const visit = (batches: ScannedBatch[]) => {
        for (const { header, body } of batches) {
          if (header.maxTimestamp < since || header.nextOffset <= from) continue;
          const view = new BatchView(header, body, from, until, false);
          const record = view.records().find(({ timestamp }) => timestamp >= since);
          if (record === undefined) continue;
          found = { since, until: record.timestamp, offset: record.offset, segment };
          return false;
        }
        return true;
      };
      // Damaged offsets in the range may hold the answer, so damage rejects.
      await this.reader.scan(segment, range, visit, (span) => {
        if (span.until <= from) return true;
        return this.reader.refuse(segment, span);
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
      // The segment has changed: look at what has replaced it.
      if (found === null) continue;
      for (const relative of newestFirst ? found.toReversed() : found) {
        const offset = segment.baseOffset + relative;
        // An index may have entries beyond the segment's end: recovery moved those records.
        if (offset >= segment.nextOffset) continue;
        if (offset >= low && offset < high) yield offset;
      }
      if (newestFirst) high = segment.baseOffset;
      else low = segment.nextOffset;
    }
  }

  /** Reads every batch; rejects with `DamagedData` at the first that is not intact. */
  async verify(): Promise<void> {
    for (const segment of this.from(0)) await this.reader.verify(segment);
  }

  /** The ranges from `from` on that were found unreadable so far. */
  damages(from: Offset): OffsetRange[] {
    return damagedRanges(this.segments)
      .filter(({ until }) => until > from)
      .map((range) => ({ from: Math.max(range.from, from), until: range.until }));
  }

  private get segments(): readonly Segment[] {
    return this.reader.segments;
  }

  /** The batches of a part of a segment that begin below `from`, with the damage between them. */
  private async interval(
    segment: Segment,
    range: SegmentRange,
    from: Offset,
  ): Promise<(ScannedBatch | DamagedSpan)[]> {
    const parts: (ScannedBatch | DamagedSpan)[] = [];
    const visit = (batches: ScannedBatch[]) => {
      const below = batches.filter(({ header }) => header.baseOffset < from);
      parts.push(...below);
      return below.length === batches.length;
    };
    await this.reader.scan(segment, range, visit, (span) => parts.push(span) > 0);
    return parts;
  }

  /** Rising offsets, relative to the segment's base; null if the segment has changed meanwhile. */
  private async matches(
    segment: Segment,
    terms: readonly (readonly string[])[],
  ): Promise<readonly number[] | null> {
    try {
      const index = await this.reader.indexOf(segment);
      const lists: number[][] = [];
      for (const anyOf of terms) {
        lists.push(await index.findAny(anyOf));
      }
      return intersection(lists);
    } catch (error) {
      if (error instanceof SegmentChanged || !this.segments.includes(segment)) return null;
      throw error;
    }
  }

  private from(offset: Offset): Segment[] {
    return this.segments.filter(({ isEmpty, nextOffset }) => !isEmpty && nextOffset > offset);
  }
}
