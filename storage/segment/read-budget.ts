/** How much a read takes, and how much is left while it goes from batch to batch. */
import type { ScannedBatch } from '../format/batch-scan.js';
import { BatchView, type RecordBatch } from '../format/record-batch.js';
import type { Offset } from '../offsets/offset.js';

/** How much of a log a read takes. */
export interface ReadOptions {
  /** Stops before a batch that would exceed this, except for the first. Default: 1 MiB. */
  readonly maxBytes?: number;
  readonly maxRecords?: number;
  /** Forwards: the end, exclusive. Backwards: the start, inclusive. */
  readonly until?: Offset;
  /** Newest first: the records before `from`. */
  readonly backwards?: boolean;
  /** Ends with the first read of the file that brings records, however few they are. */
  readonly once?: boolean;
  /** Forwards: a batch that begins before `until` is returned to its end, even beyond `until`. */
  readonly wholeBatches?: boolean;
}

const defaultBytes = 1024 * 1024;
/** Chunk of a small read: two index intervals contain any small batch. */
export const smallChunkBytes = 32 * 1024;
/** Chunk in which a whole segment is read. */
export const largeChunkBytes = 1024 * 1024;

/** The rest of a read's limits. */
export class ReadBudget {
  private bytes: number;
  private records: number;
  private readonly isOnce: boolean;
  private readonly isWhole: boolean;
  private readonly batches: RecordBatch[] = [];
  private isEmpty = true;

  constructor(options: ReadOptions) {
    this.bytes = options.maxBytes ?? defaultBytes;
    this.records = options.maxRecords ?? Number.POSITIVE_INFINITY;
    this.isOnce = options.once === true;
    this.isWhole = options.wholeBatches === true;
  }

  /** Whether the read ends; never before it has a record. */
  get isSpent(): boolean {
    return !this.isEmpty && (this.bytes <= 0 || this.records <= 0);
  }

  /** How much to read from the file next. */
  get chunkBytes(): number {
    if (this.records < 16) return smallChunkBytes;
    return Math.min(Math.max(this.bytes, smallChunkBytes), largeChunkBytes);
  }

  /** Takes the part of a batch in [from, until); false if the read ends. */
  take({ header, body }: ScannedBatch, from: Offset, until: Offset, backwards: boolean): boolean {
    const end = this.isWhole ? header.nextOffset : until;
    const whole = new BatchView(header, body, from, end, backwards);
    // Offsets without records, left by a crash in a lazy mode or by compaction: returned, so that a
    // reader gets past them.
    if (whole.recordCount === 0) {
      this.batches.push(whole);
      return true;
    }
    if (!this.isEmpty && whole.byteLength > this.bytes) {
      this.bytes = 0;
      return false;
    }
    const batch = whole.first(this.records);
    this.batches.push(batch);
    this.isEmpty = false;
    this.bytes -= batch.byteLength;
    this.records -= batch.recordCount;
    return !this.isSpent;
  }

  /** Ends a chunk, which was one read of the file; false if the read ends. */
  endChunk(): boolean {
    if (this.isOnce && !this.isEmpty) this.bytes = 0;
    return !this.isSpent;
  }

  /** The batches taken, in the order of taking. */
  get result(): RecordBatch[] {
    return this.batches;
  }
}
