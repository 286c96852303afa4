/** One segment of a log: a file of batches, and the index that finds records in it. */
import type { BatchHeader } from '../format/record-batch.js';
import { batchLength } from '../format/record-batch.js';
import {
  type SegmentEnd,
  type SegmentLink,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type { SegmentIndex } from '../index/segment-index.js';
import type { ManifestSegment } from '../manifest/manifest.js';
import type { Offset, OffsetRange } from '../offsets/offset.js';

/** The fields of a batch that its segment needs. */
export type CommittedBatch = Pick<
  BatchHeader,
  | 'headerChecksum'
  | 'bodyLength'
  | 'baseOffset'
  | 'nextOffset'
  | 'recordCount'
  | 'appendTime'
  | 'maxTimestamp'
>;

/** A segment as users of the log see it. Offsets are half-open: [baseOffset, nextOffset). */
export interface SegmentSpan {
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  /** Header and batches. */
  readonly byteLength: number;
  /**
   * When the last of its records was appended, Unix ms; if not known, their latest timestamp. (A
   * timestamp may claim any future time, which would keep its segment that long.)
   */
  readonly latestTime: number;
  /** Only a sealed segment can be trimmed or compacted. */
  readonly isSealed: boolean;
}

/** Bytes [start, end) of a segment's file, and the offsets that are lost with them. */
export interface DamagedSpan extends OffsetRange {
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

/**
 * Offsets [baseOffset, nextOffset) and bytes [64, end) of the file: what readers may see. A segment
 * created ahead of time has neither until its first batch is committed.
 */
export class Segment implements SegmentEnd {
  baseOffset: Offset = 0;
  nextOffset: Offset = 0;
  end = 0;
  batchCount = 0;
  recordCount = 0;
  lastChecksum = 0;
  maxTimestamp = Number.NEGATIVE_INFINITY;
  lastAppendTime: number | undefined;
  /** Nothing will be added to it: it has a footer, and the manifest says so. */
  isSealed = false;
  /** The damage found in it so far; only in logs that isolate damage. */
  damages: readonly DamagedSpan[] = [];
  private replacedLink: SegmentLink | null = null;
  /** Kept while the segment grows; the index of a sealed segment is loaded when needed. */
  index: SegmentIndex | null = null;

  constructor(
    readonly logId: number,
    readonly number: number,
  ) {}

  /** A segment as the manifest or a scan describes it. */
  static ended(logId: number, number: number, end: SegmentEnd): Segment {
    const segment = new Segment(logId, number);
    segment.baseOffset = end.baseOffset;
    segment.nextOffset = end.nextOffset;
    segment.end = end.end;
    segment.batchCount = end.batchCount;
    segment.recordCount = end.recordCount;
    segment.lastChecksum = end.lastChecksum;
    segment.maxTimestamp = end.maxTimestamp;
    segment.lastAppendTime = end.lastAppendTime;
    return segment;
  }

  /** A segment that is sealed, or about to be. */
  static listed(logId: number, { number, link }: ManifestSegment, end: SegmentEnd): Segment {
    const segment = Segment.ended(logId, number, end);
    segment.replacedLink = link ?? null;
    return segment;
  }

  /** What the header of the next segment says of this one, or of those that it replaces. */
  get link(): SegmentLink {
    return this.replacedLink ?? { lastChecksum: this.lastChecksum, end: this.end };
  }

  get isEmpty(): boolean {
    return this.end === 0;
  }

  /** Gives the segment its first offset and its header. */
  begin(baseOffset: Offset, chainSeed: number): void {
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
    this.end = segmentHeaderLength;
    this.lastChecksum = chainSeed;
  }

  /** Undoes `begin`, as nothing was written: it waits for its first batch again. */
  undoBegin(): void {
    this.baseOffset = 0;
    this.nextOffset = 0;
    this.end = 0;
    this.lastChecksum = 0;
  }

  /** Adds the next batch, which is at `end`. */
  add(header: CommittedBatch): void {
    this.index?.addBatch(header, header.baseOffset - this.baseOffset, this.end);
    this.end += batchLength(header.bodyLength);
    this.nextOffset = header.nextOffset;
    this.batchCount += 1;
    this.recordCount += header.recordCount;
    this.lastChecksum = header.headerChecksum;
    this.maxTimestamp = Math.max(this.maxTimestamp, header.maxTimestamp);
    this.lastAppendTime = header.appendTime;
  }

  /** The segment as it was when it ended at `end`: with only the first of its `batches`. */
  upTo(
    end: number,
    batches: readonly { readonly header: CommittedBatch; readonly position: number }[],
  ): Segment {
    const shorter = new Segment(this.logId, this.number);
    const kept = batches.filter(({ position }) => position < end);
    if (kept.length === 0) return shorter;
    shorter.begin(this.baseOffset, 0);
    for (const { header } of kept) shorter.add(header);
    shorter.index = this.index;
    return shorter;
  }

  get span(): SegmentSpan {
    const { baseOffset, nextOffset, end, maxTimestamp, lastAppendTime, isSealed } = this;
    const latestTime = Math.floor(lastAppendTime || maxTimestamp);
    return { baseOffset, nextOffset, byteLength: end, latestTime, isSealed };
  }

  /** The part of it that the manifest and the footer keep. */
  toEnd(): SegmentEnd {
    const { baseOffset, nextOffset, end, batchCount, recordCount, lastChecksum } = this;
    const { maxTimestamp, lastAppendTime } = this;
    const counts = { batchCount, recordCount };
    return { baseOffset, nextOffset, end, ...counts, lastChecksum, maxTimestamp, lastAppendTime };
  }
}
