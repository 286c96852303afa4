/** Collects the records of many appends for one write: each is encoded once, in its final place. */
import { TooLarge } from '../faults/storage-errors.js';
import { type EncodedRecords, eachTerm, placeRecord } from '../format/encoded-records.js';
import type { RecordInput } from '../format/record.js';
import { bodyLengthMax } from '../format/record-batch.js';
import { encodeRecord, recordLength } from '../format/record-encoding.js';
import { type SegmentEnd, segmentHeaderLength } from '../format/segment-format.js';
import { hashTerm, hashTermIn, TermList } from '../index/key-index.js';
import type { Offset } from '../offsets/offset.js';
import type { CommittedRecords } from './commit-stream.js';
import { type BufferPool, batchRoom, GroupPart, type GroupSeal } from './group-part.js';

/** A fraction of a millisecond that is still exact in a number of Unix milliseconds. */
const timeStepMs = 2 ** -11;

/**
 * Assigns append times, which never fall, to the groups of all logs. If the clock is set back
 * behind the last time, they still rise: so a copy of a store in use can tell what was appended
 * after what (ADR 38).
 */
export class AppendTimes {
  private last = 0;

  constructor(private readonly now: () => number) {}

  /** Ensures that no later time is before `time`, which a log has from an earlier process. */
  startFrom(time: number): void {
    this.last = Math.max(this.last, time);
  }

  /** The time for a group about to be written: Unix ms, with a fraction if needed. */
  next(): number {
    const now = this.now();
    this.last = now >= this.last ? now : this.last + timeStepMs;
    return this.last;
  }
}

/** A promise settled from outside: all appends of a commit group share it. */
export class Settlement {
  settle: () => void = () => undefined;
  refuse: (error: Error) => void = () => undefined;
  readonly promise: Promise<void>;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.refuse = reject;
    });
    // A caller that does not wait learns of a failure from the store, not as an unhandled
    // rejection.
    this.promise.catch(() => undefined);
  }
}

/**
 * One commit group. Its first part leaves room for a segment header, in case this is the first
 * group of a segment.
 */
export class AppendGroup {
  /** In the order of the file; empty while the group is empty. */
  parts: GroupPart[] = [];
  baseOffset: Offset = 0;
  nextOffset: Offset = 0;
  recordCount = 0;
  /** Whether its records were committed by another machine. */
  isFollowed = false;
  /** Offsets in the list are relative to the group's `baseOffset`. */
  readonly terms = new TermList();
  /** Terms of the record before, by position: similar records share most terms, hashed once. */
  private readonly latestTerms: string[] = [];
  private readonly latestHashes: number[] = [];
  /** Shared by everything that was appended to the group. */
  commit = new Settlement();
  /** The part that takes the next records; null while the group is empty. */
  private last: GroupPart | null = null;

  constructor(private readonly pool: BufferPool) {}

  /** Empties the group for offsets from `baseOffset` on. */
  open(baseOffset: Offset): void {
    this.release();
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
    const part = this.partFor(total);
    const batch = part.batchFor(total, this.nextOffset, appendTime);
    const { buffer } = part;
    let position = part.length;
    for (const record of records) {
      const timestamp = record.timestamp ?? appendTime;
      const delta = batch.nextOffset - batch.baseOffset;
      position = encodeRecord(buffer, position, record, delta, timestamp);
      if (timestamp > batch.maxTimestamp) batch.maxTimestamp = timestamp;
      if (record.terms !== undefined) this.addTerms(record.terms, batch.nextOffset);
      batch.nextOffset += 1;
    }
    batch.recordCount += records.length;
    batch.bodyLength += total;
    part.length = position;
    this.recordCount += records.length;
    this.nextOffset = batch.nextOffset;
  }

  /** Adds records as encoded in a batch of another machine, all into one batch. */
  follow({ body, start, count, maxTimestamp }: EncodedRecords, appendTime: number): void {
    const bytes = body.length - start;
    const part = this.partFor(bytes);
    const batch = part.batchFor(bytes, this.nextOffset, appendTime);
    const { buffer, length } = part;
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
    part.length += bytes;
    this.recordCount += count;
    this.nextOffset = batch.nextOffset;
  }

  /** The records of each batch, as encoded in the buffers. */
  get records(): readonly CommittedRecords[] {
    return this.parts.flatMap(({ records }) => records);
  }

  /** Bytes of the group's batches, once it is closed. */
  get byteLength(): number {
    return this.parts.reduce((bytes, part) => bytes + part.byteLength, 0);
  }

  /** The room for the header of a segment that begins with this group. */
  get headerRoom(): Buffer {
    const [first] = this.parts;
    if (first === undefined) throw new Error('an empty group begins no segment');
    return first.buffer;
  }

  /** The bytes to write, in order: the batches, after a segment header if `hasHeader`. */
  bytes(hasHeader: boolean): Buffer[] {
    return this.parts.map(({ buffer, reserved, length }) => {
      return buffer.subarray(hasHeader ? 0 : reserved, length);
    });
  }

  /** Returns the buffers to the pool once the group is written. */
  release(): void {
    for (const { buffer } of this.parts) this.pool.give(buffer);
    this.parts = [];
    this.last = null;
  }

  /** Ends the last batch: the group takes no more records. */
  close(): void {
    this.last?.close();
  }

  /** Seals the batches for the end of a segment: each links to the one before it. */
  seal({ end, lastChecksum }: Pick<SegmentEnd, 'end' | 'lastChecksum'>, seal: GroupSeal): void {
    let position = end;
    let previousChecksum = lastChecksum;
    for (const part of this.parts) {
      previousChecksum = part.seal(position, previousChecksum, seal);
      position += part.byteLength;
    }
  }

  /** The part that takes `bytes` more: the last one, or a new one. */
  private partFor(bytes: number): GroupPart {
    const { last, pool } = this;
    if (last?.takes(bytes)) return last;
    last?.close();
    const reserved = last === null ? segmentHeaderLength : 0;
    const buffer = pool.take(reserved + batchRoom(bytes));
    const part = new GroupPart(buffer, reserved, pool.partBytesMax);
    this.parts.push(part);
    this.last = part;
    return part;
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
}
