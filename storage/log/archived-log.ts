/**
 * A log that is read together with its archived copies: records that a sweep has removed are read
 * from the copies, everything else from the log itself.
 */
import type { ArchivedSegment } from '../compaction/archived-segments.js';
import type { SweepOptions, SweepReport } from '../compaction/sweep.js';
import { StoreDirectory } from '../disk/store-directory.js';
import type { StoreFiles } from '../disk/store-files.js';
import { OffsetOutOfRange } from '../faults/storage-errors.js';
import type { RecordBatch } from '../format/record-batch.js';
import { newIndexCache } from '../index/index-cache.js';
import { assertOffset, type Offset } from '../offsets/offset.js';
import { LongBatches } from '../segment/long-batches.js';
import type { ReadOptions } from '../segment/read-budget.js';
import { Segment } from '../segment/segment.js';
import { SegmentReader } from '../segment/segment-reader.js';
import { type FindOptions, LogReader, offsetsOf } from './log-reader.js';
import type { PartitionLog } from './partition-log.js';

/** A log that may have some of its records in an archive instead of its own segments. */
export interface LogWithHistory extends ReadLog {
  /** Below this offset every record ever written can be read, swept or not; absent if not known. */
  readonly completeUntil?: Offset;
}

type ReadLog = Pick<
  PartitionLog,
  | 'startOffset'
  | 'highWatermark'
  | 'endOffset'
  | 'segments'
  | 'read'
  | 'find'
  | 'candidates'
  | 'offsetFor'
  | 'whenBeyond'
  | 'prepare'
  | 'roll'
  | 'sweep'
  | 'sync'
>;

/** Offsets [from, until), and the copy that holds them; null = the log itself. */
interface Span {
  readonly from: Offset;
  readonly until: Offset;
  readonly copy: LogReader | null;
}

/**
 * Made by `Store` when a log is opened with an archive (ADR 42). Copies are only read, and must
 * stay: if one is removed meanwhile, reads of it reject.
 */
export class ArchivedLog implements LogWithHistory {
  /** Without gaps; the last span belongs to the log itself, and grows with it. */
  private readonly spans: readonly Span[];

  /** `copies` are in rising order and do not overlap. Their indexes are made when needed. */
  constructor(
    files: StoreFiles,
    private readonly log: PartitionLog,
    copies: readonly ArchivedSegment[],
  ) {
    const spans: Span[] = [];
    const store = storeOf(files, copies);
    let at = Math.min(log.startOffset, copies[0]?.from ?? log.startOffset);
    for (const [number, { from, end }] of copies.entries()) {
      if (from > at) spans.push({ from: at, until: from, copy: null });
      const segment = Segment.ended(log.id, number, end);
      segment.isSealed = true;
      const reader = new SegmentReader(store, log, [segment]);
      spans.push({ from, until: end.nextOffset, copy: new LogReader(reader) });
      at = end.nextOffset;
    }
    this.spans = [...spans, { from: at, until: Number.POSITIVE_INFINITY, copy: null }];
  }

  get completeUntil(): Offset {
    let until = 0;
    for (const span of this.spans) {
      if (span.copy === null || span.from > until) break;
      until = span.until;
    }
    return until;
  }

  get startOffset(): Offset {
    return this.spans[0]?.from ?? this.log.startOffset;
  }

  get highWatermark(): Offset {
    return this.log.highWatermark;
  }

  get endOffset(): Offset {
    return this.log.endOffset;
  }

  get segments(): PartitionLog['segments'] {
    return this.log.segments;
  }

  /** Like `PartitionLog.read`. */
  async read(from: Offset, options: ReadOptions = {}): Promise<RecordBatch[]> {
    assertOffset(from);
    const { startOffset, highWatermark } = this;
    if (from < startOffset || from > highWatermark) {
      throw new OffsetOutOfRange(from, startOffset, highWatermark);
    }
    const isBackwards = options.backwards === true;
    const [low, high] = isBackwards
      ? [Math.max(options.until ?? startOffset, startOffset), from]
      : [from, Math.min(options.until ?? highWatermark, highWatermark)];
    for (const span of this.between(low, high, isBackwards)) {
      const batches = await this.readSpan(span, options);
      if (batches.length > 0) return batches;
    }
    return [];
  }

  /** Like `PartitionLog.find`. */
  find(term: string, options: FindOptions = {}): AsyncGenerator<Offset> {
    return offsetsOf(this, term, options);
  }

  /** Like `PartitionLog.candidates`. */
  async *candidates(
    terms: readonly (readonly string[])[],
    { from = 0, until = this.highWatermark, order = 'oldest' }: FindOptions = {},
  ): AsyncGenerator<Offset> {
    const isBackwards = order === 'newest';
    const high = Math.min(until, this.highWatermark);
    for (const span of this.between(from, high, isBackwards)) {
      yield* span.copy === null
        ? this.log.candidates(terms, { from: span.from, until: span.until, order })
        : span.copy.candidates(terms, span.from, span.until, isBackwards);
    }
  }

  /** Like `PartitionLog.offsetFor`. */
  async offsetFor(timestamp: number): Promise<Offset> {
    for (const { from, until, copy } of this.spans) {
      const found =
        copy === null
          ? Math.max(await this.log.offsetFor(timestamp), from)
          : await copy.offsetFor(timestamp, from, until);
      if (found !== null && found < until) return found;
    }
    return this.highWatermark;
  }

  /** Like `PartitionLog.whenBeyond`. */
  whenBeyond(offset: Offset, wake: () => void): () => void {
    return this.log.whenBeyond(offset, wake);
  }

  /** The methods from here on change only the log itself. */
  prepare(): Promise<void> {
    return this.log.prepare();
  }

  roll(): Promise<void> {
    return this.log.roll();
  }

  sweep(options: SweepOptions): Promise<SweepReport> {
    return this.log.sweep(options);
  }

  sync(): Promise<void> {
    return this.log.sync();
  }

  /** The parts of spans that lie in [low, high). */
  private between(low: Offset, high: Offset, isBackwards: boolean): readonly Span[] {
    const parts = this.spans.flatMap(({ from, until, copy }) => {
      const first = copy === null ? Math.max(low, this.log.startOffset) : low;
      const part = { from: Math.max(from, first), until: Math.min(until, high), copy };
      return part.from < part.until ? [part] : [];
    });
    return isBackwards ? parts.reverse() : parts;
  }

  private readSpan({ from, until, copy }: Span, options: ReadOptions): Promise<RecordBatch[]> {
    const isBackwards = options.backwards === true;
    if (copy !== null) {
      return isBackwards
        ? copy.backwards(until, from, options)
        : copy.forwards(from, until, options);
    }
    const [start, end] = isBackwards ? [until, from] : [from, until];
    return this.log.read(start, { ...options, until: end });
  }
}

/** Copies are read where they are, and their indexes are kept in memory only. */
class ArchiveDirectory extends StoreDirectory {
  constructor(
    path: string,
    private readonly copies: readonly ArchivedSegment[],
  ) {
    super(path);
  }

  override segment(_logId: number, number: number): string {
    return this.copies[number]?.path ?? '';
  }

  override index(logId: number, number: number): string {
    return `${this.segment(logId, number)}.index`;
  }
}

function storeOf(
  { disk, openFiles, directory }: StoreFiles,
  copies: readonly ArchivedSegment[],
): ConstructorParameters<typeof SegmentReader>[0] {
  return {
    disk,
    openFiles,
    directory: new ArchiveDirectory(directory.path, copies),
    isolatesDamage: () => false,
    damaged: () => undefined,
    indexes: newIndexCache(),
    longBatches: new LongBatches(),
  };
}
