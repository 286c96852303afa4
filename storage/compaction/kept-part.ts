/** The records of one segment that stay: decided once per record, and noted in one bit each. */
import type { ScannedBatch } from '../format/batch-scan.js';
import type { LogRecord } from '../format/record.js';
import { batchLength } from '../format/record-batch.js';
import type { Segment } from '../segment/segment.js';
import { checksumOf, type Remains, remainsOf } from './remains.js';

/** Whether a record stays; it was appended at `appendTime`, Unix ms. */
export type RecordFilter = (record: LogRecord, appendTime: number) => boolean;

/**
 * A rewrite reads a segment twice: to decide, then to copy. The notes connect both, so that a
 * decision that depends on time or memory cannot differ the second time.
 */
export class KeptPart {
  /** How many records stay. */
  recordCount = 0;
  /** Bytes of the batches in which records stay. */
  byteLength = 0;
  /** Checksums of the batches in which records stay. */
  readonly checksums: number[] = [];
  /** The checksum of the last batch if no record stays in it; null otherwise. */
  emptyEnd: number | null = null;
  private bits: Uint8Array;

  constructor(readonly segment: Segment) {
    this.bits = new Uint8Array(Math.ceil(segment.recordCount / 8));
  }

  /** All records stay: this segment alone needs no rewrite. */
  get isWhole(): boolean {
    return this.recordCount === this.segment.recordCount;
  }

  /** Memory that the notes take, in bytes. */
  get notedBytes(): number {
    return this.bits.length + this.checksums.length * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Takes the batches of the segment in order, and decides about each record. */
  decide(isKept: RecordFilter): (batch: ScannedBatch) => void {
    let place = 0;
    return (batch) => {
      const { appendTime, nextOffset } = batch.header;
      const remains = remainsOf(batch, (record) => this.note(place++, isKept(record, appendTime)));
      const { recordCount, bodyLength } = remains.content;
      if (recordCount > 0) {
        this.recordCount += recordCount;
        this.byteLength += batchLength(bodyLength);
        this.checksums.push(checksumOf(remains));
      } else if (nextOffset === this.segment.nextOffset) this.emptyEnd = checksumOf(remains);
      if (nextOffset === this.segment.nextOffset && this.recordCount === 0) {
        // A long row of segments in which nothing stays takes no memory.
        this.bits = new Uint8Array(0);
      }
    };
  }

  /** Takes the same batches again, and returns what stays of each. */
  remains(): (batch: ScannedBatch) => Remains {
    let place = 0;
    return (batch) => remainsOf(batch, () => this.has(place++));
  }

  private note(place: number, stays: boolean): boolean {
    if (stays) this.bits[place >> 3] = (this.bits[place >> 3] ?? 0) | (1 << (place & 7));
    return stays;
  }

  private has(place: number): boolean {
    return ((this.bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }
}
