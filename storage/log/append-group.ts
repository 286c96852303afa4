/** The records of many appends on their way into one write: encoded once, straight into place. */
import { TooLarge } from '../faults/storage-errors.js';
import { type EncodedRecords, eachTerm, placeRecord } from '../format/encoded-records.js';
import type { RecordInput } from '../format/record.js';
import {
  type BatchHeader,
  batchHeaderLength,
  batchLength,
  bodyLengthMax,
  sealBatch,
} from '../format/record-batch.js';
import { encodeRecord, recordLength } from '../format/record-encoding.js';
import { type SegmentEnd, segmentHeaderLength } from '../format/segment-format.js';
import { hashTerm, hashTermIn, TermList } from '../index/key-index.js';
import type { Offset } from '../offsets/offset.js';
import type { CommittedBatch } from '../segment/segment.js';
import type { CommittedRecords } from './commit-stream.js';

/** A batch takes appends until its body holds this much: reads stay small, headers stay few. */
const batchBodyBytes = 16 * 1024;
const bufferBytes = 64 * 1024;
/** A batch ends at a multiple of this. */
const batchAlignment = 8;

/** Buffers that wait for a group: a thousand idle logs hold none. */
export class BufferPool {
  private readonly buffers: Buffer[] = [];

  /** Its bytes are whatever they were: a group writes before it reads. */
  take(): Buffer {
    return this.buffers.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  }

  /** Keeps a few, and none that one huge group blew up. */
  give(buffer: Buffer): void {
    if (this.buffers.length < 8 && buffer.length <= 4 * 1024 * 1024) this.buffers.push(buffer);
  }
}

/** A fraction of a millisecond that a number of Unix milliseconds can still hold. */
const timeStepMs = 2 ** -11;

/**
 * Gives the groups of all logs their append times, which never fall. While the clock stands behind
 * the last one, as it was set back, they rise all the same: so a copy of a store in use can tell
 * what was appended after what (ADR 38).
 */
export class AppendTimes {
  private last = 0;

  constructor(private readonly now: () => number) {}

  /** No time from now on is before `time`, which a log has from an earlier process. */
  startFrom(time: number): void {
    this.last = Math.max(this.last, time);
  }

  /** Of a group that is about to be written: Unix milliseconds, with a fraction where needed. */
  next(): number {
    const now = this.now();
    this.last = now >= this.last ? now : this.last + timeStepMs;
    return this.last;
  }
}

/** A promise that is settled from outside: all appends of a commit group share it. */
export class Settlement {
  settle: () => void = () => undefined;
  refuse: (error: Error) => void = () => undefined;
  readonly promise: Promise<void>;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.refuse = reject;
    });
    // A failure reaches a caller that does not wait through the store, not as unhandled.
    this.promise.catch(() => undefined);
  }
}

const noBuffer = Buffer.alloc(0);

/** A batch in the group's buffer, without what only its place on disk can tell. */
export type WaitingBatch = { start: number } & {
  -readonly [Field in keyof CommittedBatch]: CommittedBatch[Field];
};

/** What the headers of all batches of a group say alike. */
type GroupSeal = Pick<BatchHeader, 'epoch' | 'logTag' | 'durablePosition' | 'appendTime'>;

/**
 * One commit group. The first 64 bytes of `buffer` are left for a segment header, in case this is
 * the first group of a segment; the batches lie in [64, length).
 */
export class AppendGroup {
  buffer: Buffer = noBuffer;
  length = segmentHeaderLength;
  batches: WaitingBatch[] = [];
  baseOffset: Offset = 0;
  nextOffset: Offset = 0;
  recordCount = 0;
  /** Another machine has committed its records. */
  isFollowed = false;
  /** Offsets in here are relative to the group's baseOffset. */
  readonly terms = new TermList();
  /** Of the record before, by their places: alike records share most terms, hashed once. */
  private readonly latestTerms: string[] = [];
  private readonly latestHashes: number[] = [];
  /** Of all who appended to it. */
  commit = new Settlement();

  constructor(private readonly pool: BufferPool) {}

  /** Empties the group for offsets from `baseOffset` on. */
  open(baseOffset: Offset): void {
    this.length = segmentHeaderLength;
    this.batches = [];
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
    this.recordCount = 0;
    this.isFollowed = false;
    if (this.terms.length > 0) this.terms.clear();
    this.commit = new Settlement();
  }

  /** Adds the records of one append, all into one batch. Throws `TooLarge` before adding any. */
  append(records: readonly RecordInput[], appendTime: number): void {
    let total = 0;
    for (const record of records) total += recordLength(record);
    if (total > bodyLengthMax) throw new TooLarge('one append', total, bodyLengthMax);
    const batch = this.batchFor(total, appendTime);
    let position = this.length;
    for (const record of records) {
      const timestamp = record.timestamp ?? appendTime;
      const delta = batch.nextOffset - batch.baseOffset;
      position = encodeRecord(this.buffer, position, record, delta, timestamp);
      if (timestamp > batch.maxTimestamp) batch.maxTimestamp = timestamp;
      if (record.terms !== undefined) this.addTerms(record.terms, batch.nextOffset);
      batch.nextOffset += 1;
    }
    batch.recordCount += records.length;
    batch.bodyLength += total;
    this.length = position;
    this.recordCount += records.length;
    this.nextOffset = batch.nextOffset;
  }

  /** Adds records as they lie in a batch of another machine, all into one batch. */
  follow({ body, start, count, maxTimestamp }: EncodedRecords, appendTime: number): void {
    const bytes = body.length - start;
    const batch = this.batchFor(bytes, appendTime);
    const { buffer, length } = this;
    body.copy(buffer, length, start);
    let offset = batch.nextOffset;
    for (let position = length; position < length + bytes; offset += 1) {
      const place = offset - this.baseOffset;
      placeRecord(buffer, position, offset - batch.baseOffset);
      position = eachTerm(buffer, position, (from, to) => {
        this.terms.add(hashTermIn(buffer, from, to), place);
      });
    }
    batch.maxTimestamp = Math.max(batch.maxTimestamp, maxTimestamp);
    batch.nextOffset += count;
    batch.recordCount += count;
    batch.bodyLength += bytes;
    this.length += bytes;
    this.recordCount += count;
    this.nextOffset = batch.nextOffset;
  }

  /** The records of each batch, as they lie in the buffer. */
  get records(): readonly CommittedRecords[] {
    return this.batches.map(({ start, baseOffset, bodyLength }) => {
      const from = start + batchHeaderLength;
      return { baseOffset, body: this.buffer.subarray(from, from + bodyLength) };
    });
  }

  /** Gives the buffer back once the group is written. */
  release(): void {
    this.pool.give(this.buffer);
    this.buffer = noBuffer;
  }

  /** Ends the last batch, so that `length` is where the group ends. */
  close(): void {
    const batch = this.batches[this.batches.length - 1];
    if (batch !== undefined) this.length = batch.start + batchLength(batch.bodyLength);
  }

  /** Seals its batches for the end of a segment: each links to the one before it. */
  seal(
    { end, lastChecksum }: Pick<SegmentEnd, 'end' | 'lastChecksum'>,
    { epoch, logTag, durablePosition, appendTime }: GroupSeal,
  ): void {
    const place = {
      rewritten: false,
      epoch,
      filePosition: 0,
      durablePosition,
      previousChecksum: lastChecksum,
      logTag,
    };
    for (const batch of this.batches) {
      batch.appendTime = appendTime;
      place.filePosition = end + batch.start - segmentHeaderLength;
      batch.headerChecksum = sealBatch(this.buffer, batch.start, batch, place);
      place.previousChecksum = batch.headerChecksum;
    }
  }

  /** The open batch if it takes `bytes` more, or a new one; the buffer has room for them. */
  private batchFor(bytes: number, appendTime: number): WaitingBatch {
    const last = this.batches[this.batches.length - 1];
    if (last !== undefined && last.bodyLength + bytes <= batchBodyBytes) {
      this.reserve(this.length + bytes + batchAlignment);
      return last;
    }
    this.close();
    this.reserve(this.length + batchHeaderLength + bytes + batchAlignment);
    const batch = {
      start: this.length,
      headerChecksum: 0,
      bodyLength: 0,
      baseOffset: this.nextOffset,
      nextOffset: this.nextOffset,
      recordCount: 0,
      appendTime,
      maxTimestamp: Number.NEGATIVE_INFINITY,
    };
    this.batches.push(batch);
    this.length += batchHeaderLength;
    return batch;
  }

  private addTerms(terms: readonly string[], offset: Offset): void {
    const { latestTerms, latestHashes } = this;
    for (let place = 0; place < terms.length; place += 1) {
      const term = terms[place] ?? '';
      if (term !== latestTerms[place]) {
        latestTerms[place] = term;
        latestHashes[place] = hashTerm(term);
      }
      this.terms.add(latestHashes[place] ?? 0, offset - this.baseOffset);
    }
  }

  private reserve(bytes: number): void {
    if (this.buffer.length === 0) this.buffer = this.pool.take();
    if (bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
