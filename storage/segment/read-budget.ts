/** How much a read takes, and what is left of that while it goes from batch to batch. */
import type { ScannedBatch } from '../format/batch-scan.js';
import { BatchView, type RecordBatch } from '../format/record-batch.js';
import type { Offset } from '../offsets/offset.js';

/** How much of a log a read takes. */
export interface ReadOptions {
  /** Stops before a batch that would exceed this, but for the first. Default 1 MiB. */
  readonly maxBytes?: number;
  readonly maxRecords?: number;
  /** Forwards: the end, exclusive. Backwards: the start, inclusive. */
  readonly until?: Offset;
  /** Newest first: the records before `from`. */
  readonly backwards?: boolean;
  /** Ends with the first read of a file that has records, however few they are. */
  readonly once?: boolean;
  /** Forwards: a batch that begins before `until` comes with what it has behind it, too. */
  readonly wholeBatches?: boolean;
}

const defaultBytes = 1024 * 1024;
/** A read of little reads little: two index intervals hold any small batch. */
export const smallChunkBytes = 32 * 1024;
/** A whole segment is read by so much. */
export const largeChunkBytes = 1024 * 1024;

/** What is left of a read. */
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

  /** Whether the read ends; never before it has given a record. */
  get isSpent(): boolean {
    return !this.isEmpty && (this.bytes <= 0 || this.records <= 0);
  }

  /** How much to read from the file next. */
  get chunkBytes(): number {
    if (this.records < 16) return smallChunkBytes;
    return Math.min(Math.max(this.bytes, smallChunkBytes), largeChunkBytes);
  }

  /** Takes what [from, until) has of a batch; false when the read ends. */
  take({ header, body }: ScannedBatch, from: Offset, until: Offset, backwards: boolean): boolean {
    const end = this.isWhole ? header.nextOffset : until;
    const whole = new BatchView(header, body, from, end, backwards);
    // Offsets without records, left by a crash in a lazy mode or by compaction: given, so that a
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

  /** Ends a chunk, which was read at once; false when the read ends. */
  endChunk(): boolean {
    if (this.isOnce && !this.isEmpty) this.bytes = 0;
    return !this.isSpent;
  }

  /** What was taken, in the order of taking. */
  get result(): RecordBatch[] {
    return this.batches;
  }
}
