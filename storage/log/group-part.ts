/** The batches of a commit group that share one buffer, laid out as in the file. */
import {
  type BatchHeader,
  batchHeaderLength,
  batchLength,
  sealBatch,
} from '../format/record-batch.js';
import type { Offset } from '../offsets/offset.js';
import type { CommittedBatch } from '../segment/segment.js';
import type { CommittedRecords } from './commit-stream.js';

/** A batch takes appends until its body holds this many bytes: reads stay small, headers few. */
const batchBodyBytes = 16 * 1024;
/** Initial size of a part's buffer. */
const bufferBytes = 64 * 1024;
/** The length of a batch is a multiple of this. */
const batchAlignment = 8;
/** Buffers waiting for a group; shared, so that a thousand idle logs hold none. */
export class BufferPool {
  private readonly buffers: Buffer[] = [];

  /** A batch may be larger than `partBytesMax`; it gets a part of its own then. */
  constructor(readonly partBytesMax = 4 * 1024 * 1024) {}

  /** A buffer of at least `bytes`. Its content is undefined: a group writes before it reads. */
  take(bytes: number): Buffer {
    const at = this.buffers.findLastIndex(({ length }) => length >= bytes);
    const [kept] = at < 0 ? [] : this.buffers.splice(at, 1);
    return kept ?? Buffer.allocUnsafeSlow(Math.max(bytes, bufferBytes));
  }

  /** Keeps a few buffers, but none that one huge batch made larger than a part. */
  give(buffer: Buffer): void {
    if (this.buffers.length < 8 && buffer.length <= this.partBytesMax) this.buffers.push(buffer);
  }
}

/** A batch in the buffer, without the fields that depend on its place on disk. */
export type WaitingBatch = { start: number } & {
  -readonly [Field in keyof CommittedBatch]: CommittedBatch[Field];
};

/** The fields that the headers of all batches of a group have in common. */
export type GroupSeal = Pick<BatchHeader, 'epoch' | 'logTag' | 'durablePosition' | 'appendTime'>;

/** Buffer space that is enough for a batch with a body of `bytes`. */
export function batchRoom(bytes: number): number {
  return batchHeaderLength + bytes + batchAlignment;
}

/**
 * A small group is one part. A single buffer for a large group would be copied each time it grew,
 * and would take three times the bytes of large records that arrive together.
 */
export class GroupPart {
  readonly batches: WaitingBatch[] = [];
  /** Where the next record goes. */
  length: number;

  constructor(
    public buffer: Buffer,
    /** Bytes left free before the batches. */
    readonly reserved: number,
    private readonly bytesMax: number,
  ) {
    this.length = reserved;
  }

  /** Bytes of the part's batches, once the last one is closed. */
  get byteLength(): number {
    return this.length - this.reserved;
  }

  /** Whether records of `bytes` fit in here; otherwise they need another part. */
  takes(bytes: number): boolean {
    return this.length + batchRoom(bytes) <= this.bytesMax;
  }

  /** The last batch if it takes `bytes` more, or a new one; the buffer has room for them. */
  batchFor(bytes: number, nextOffset: Offset, appendTime: number): WaitingBatch {
    const last = this.batches[this.batches.length - 1];
    if (last !== undefined && last.bodyLength + bytes <= batchBodyBytes) {
      this.reserve(this.length + bytes + batchAlignment);
      return last;
    }
    this.close();
    this.reserve(this.length + batchRoom(bytes));
    const batch = {
      start: this.length,
      headerChecksum: 0,
      bodyLength: 0,
      baseOffset: nextOffset,
      nextOffset,
      recordCount: 0,
      appendTime,
      maxTimestamp: Number.NEGATIVE_INFINITY,
    };
    this.batches.push(batch);
    this.length += batchHeaderLength;
    return batch;
  }

  /** Ends the last batch, so that `length` is the end of the part. */
  close(): void {
    const batch = this.batches[this.batches.length - 1];
    if (batch !== undefined) this.length = batch.start + batchLength(batch.bodyLength);
  }

  /**
   * Seals the batches: the first will be at `position` in the file, after a batch whose header has
   * the checksum `previousChecksum`. Returns the checksum of the last one.
   */
  seal(
    position: number,
    previousChecksum: number,
    { epoch, logTag, durablePosition, appendTime }: GroupSeal,
  ): number {
    const place = {
      rewritten: false,
      epoch,
      filePosition: 0,
      durablePosition,
      previousChecksum,
      logTag,
    };
    for (const batch of this.batches) {
      batch.appendTime = appendTime;
      place.filePosition = position + batch.start - this.reserved;
      batch.headerChecksum = sealBatch(this.buffer, batch.start, batch, place);
      place.previousChecksum = batch.headerChecksum;
    }
    return place.previousChecksum;
  }

  /** The records of each batch, as encoded in the buffer. */
  get records(): CommittedRecords[] {
    return this.batches.map(({ start, baseOffset, bodyLength }) => {
      const from = start + batchHeaderLength;
      return { baseOffset, body: this.buffer.subarray(from, from + bodyLength) };
    });
  }

  private reserve(bytes: number): void {
    const { buffer } = this;
    if (bytes <= buffer.length) return;
    const doubled = Math.min(buffer.length * 2, this.bytesMax);
    this.buffer = Buffer.allocUnsafeSlow(Math.max(bytes, doubled));
    buffer.copy(this.buffer, 0, 0, this.length);
  }
}
