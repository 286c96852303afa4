/** The batches of a commit group that lie in one buffer, as they will lie in the file. */
import {
  type BatchHeader,
  batchHeaderLength,
  batchLength,
  sealBatch,
} from '../format/record-batch.js';
import type { Offset } from '../offsets/offset.js';
import type { CommittedBatch } from '../segment/segment.js';
import type { CommittedRecords } from './commit-stream.js';

/** A batch takes appends until its body holds this much: reads stay small, headers stay few. */
const batchBodyBytes = 16 * 1024;
/** What a part begins with. */
const bufferBytes = 64 * 1024;
/** A batch ends at a multiple of this. */
const batchAlignment = 8;
/** Buffers that wait for a group: a thousand idle logs hold none. */
export class BufferPool {
  private readonly buffers: Buffer[] = [];

  /** One batch may be larger than a part, and has a part of its own. */
  constructor(readonly partBytesMax = 4 * 1024 * 1024) {}

  /** Of `bytes` or more; they are whatever they were: a group writes before it reads. */
  take(bytes: number): Buffer {
    const at = this.buffers.findLastIndex(({ length }) => length >= bytes);
    const [kept] = at < 0 ? [] : this.buffers.splice(at, 1);
    return kept ?? Buffer.allocUnsafeSlow(Math.max(bytes, bufferBytes));
  }

  /** Keeps a few, and none that one huge batch blew up. */
  give(buffer: Buffer): void {
    if (this.buffers.length < 8 && buffer.length <= this.partBytesMax) this.buffers.push(buffer);
  }
}

/** A batch in the buffer, without what only its place on disk can tell. */
export type WaitingBatch = { start: number } & {
  -readonly [Field in keyof CommittedBatch]: CommittedBatch[Field];
};

/** What the headers of all batches of a group say alike. */
export type GroupSeal = Pick<BatchHeader, 'epoch' | 'logTag' | 'durablePosition' | 'appendTime'>;

/** Bytes of a buffer that are enough for a batch of `bytes`. */
export function batchRoom(bytes: number): number {
  return batchHeaderLength + bytes + batchAlignment;
}

/**
 * A group is one part as long as it is small. One buffer for all of a large group would be copied
 * each time it grew, and take three times the bytes of large records that come together.
 */
export class GroupPart {
  readonly batches: WaitingBatch[] = [];
  /** Where the next record goes. */
  length: number;

  constructor(
    public buffer: Buffer,
    /** Bytes left for what comes before the batches. */
    readonly reserved: number,
    private readonly bytesMax: number,
  ) {
    this.length = reserved;
  }

  /** Bytes of its batches, once the last one is closed. */
  get byteLength(): number {
    return this.length - this.reserved;
  }

  /** Whether records of `bytes` go in here, or have to go to another part. */
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

  /** Ends the last batch, so that `length` is where the part ends. */
  close(): void {
    const batch = this.batches[this.batches.length - 1];
    if (batch !== undefined) this.length = batch.start + batchLength(batch.bodyLength);
  }

  /**
   * Seals the batches: the first one will lie at `position` of the file, behind one whose header
   * has the checksum `previousChecksum`. Returns that of the last one.
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

  /** The records of each batch, as they lie in the buffer. */
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
