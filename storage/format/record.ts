/** One record inside a batch: what a caller gives, what a reader gets, and its bytes. */
import { TooLarge } from '../faults/storage-errors.js';
import type { LookedThrough, Offset } from '../offsets/offset.js';
import { type Cursor, decodeHeaders, decodeTerms, type RecordHeader } from './record-headers.js';
import { writeText } from './record-text.js';

export type { RecordHeader } from './record-headers.js';

/** A record to append. All bytes are opaque; a text is its UTF-8. */
export interface RecordInput {
  readonly key: Buffer | string | null;
  /** Null is a tombstone. */
  readonly value: Buffer | null;
  readonly headers?: readonly RecordHeader[];
  /** Any number of milliseconds; without it the time of the append. */
  readonly timestamp?: number;
  /** What `find` can find it by. Kept in the record, so that an index can always be rebuilt. */
  readonly terms?: readonly string[];
}

/** A record as read. Its buffers are views of the read's own buffer. */
export interface LogRecord {
  readonly offset: Offset;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
  readonly terms: readonly string[];
}

/** A record in the bytes that it was read with, so that a reader need not cut them. */
export interface StoredRecord extends LogRecord {
  /** Of a whole batch. */
  readonly bytes: Buffer;
  /** Where the key begins in these bytes; the value follows it. */
  readonly keyStart: number;
  /** -1 for null. */
  readonly keyLength: number;
  /** -1 for null. */
  readonly valueLength: number;
}

/*
  Record =>
    length       UINT32    bytes after this field
    offsetDelta  UINT32    offset - the batch's baseOffset
    timestamp    FLOAT64   milliseconds
    keyLength    INT32     -1 for null
    valueLength  INT32     -1 for null: a tombstone
    headerCount  UINT16
    termCount    UINT16
    key, value   bytes
    headers      [nameLength UINT16, name, valueLength INT32 (-1 for null), value]
    terms        [length UINT16, term]

  Fixed widths: in JavaScript they are faster than varints, and a batch shares its own header.
*/
/** Bytes of a record in front of its key. */
export const fixedLength = 28;
const countMax = 0xffff;

/**
 * Bytes that `record` takes in a batch. Throws `TooLarge` for what the grammar cannot hold, and
 * `RangeError` for a timestamp that is no point in time.
 */
export function recordLength(record: RecordInput): number {
  if (record.timestamp !== undefined && !Number.isFinite(record.timestamp)) {
    throw new RangeError(`no timestamp: ${record.timestamp}`);
  }
  let length = fixedLength + keyLength(record.key) + (record.value?.length ?? 0);
  if (record.headers !== undefined) {
    checkCount('the number of headers', record.headers.length);
    for (const { name, value } of record.headers) {
      length += 6 + textLength('a header name', name) + (value?.length ?? 0);
    }
  }
  if (record.terms !== undefined) {
    checkCount('the number of index terms', record.terms.length);
    for (const term of record.terms) length += 2 + textLength('an index term', term);
  }
  return length;
}

function keyLength(key: RecordInput['key']): number {
  return typeof key === 'string' ? Buffer.byteLength(key) : (key?.length ?? 0);
}

function checkCount(what: string, count: number): void {
  if (count > countMax) throw new TooLarge(what, count, countMax);
}

function textLength(what: string, text: string): number {
  const length = Buffer.byteLength(text);
  checkCount(what, length);
  return length;
}

/** Writes a record, which takes its `recordLength`; answers where it ends. */
export function encodeRecord(
  target: Buffer,
  start: number,
  record: RecordInput,
  offsetDelta: number,
  timestamp: number,
): number {
  const { key, value, headers, terms } = record;
  target.writeUInt32LE(offsetDelta, start + 4);
  target.writeDoubleLE(timestamp, start + 8);
  target.writeInt32LE(value === null ? -1 : value.length, start + 20);
  target.writeUInt16LE(headers === undefined ? 0 : headers.length, start + 24);
  target.writeUInt16LE(terms === undefined ? 0 : terms.length, start + 26);
  let position = start + fixedLength;
  if (typeof key === 'string') position += writeText(target, position, key);
  else if (key !== null) {
    target.set(key, position);
    position += key.length;
  }
  target.writeInt32LE(key === null ? -1 : position - start - fixedLength, start + 16);
  if (value !== null) {
    target.set(value, position);
    position += value.length;
  }
  if (headers !== undefined) position = encodeHeaders(target, position, headers);
  if (terms !== undefined) {
    for (const term of terms) position = encodeText(target, position, term);
  }
  target.writeUInt32LE(position - start - 4, start);
  return position;
}

function encodeHeaders(target: Buffer, start: number, headers: readonly RecordHeader[]): number {
  let position = start;
  for (const { name, value } of headers) {
    position = encodeText(target, position, name);
    target.writeInt32LE(value === null ? -1 : value.length, position);
    position += 4;
    if (value === null) continue;
    target.set(value, position);
    position += value.length;
  }
  return position;
}

function encodeText(target: Buffer, position: number, text: string): number {
  const length = writeText(target, position + 2, text);
  target.writeUInt16LE(length, position);
  return position + 2 + length;
}

const noHeaders: readonly RecordHeader[] = [];
const noTerms: readonly string[] = [];

/**
 * Reads the records of a batch's body with offsets in [from, until), in order; steps over the
 * others. Throws `RangeError` where the bytes do not follow the grammar (of headers and terms: when
 * they are asked for); with a body whose checksum holds that is a broken invariant.
 */
export function decodeRecords(
  body: Buffer,
  baseOffset: Offset,
  from: Offset = baseOffset,
  until: Offset = Number.POSITIVE_INFINITY,
): StoredRecord[] {
  const records: StoredRecord[] = [];
  for (let start = 0; start < body.length; ) {
    const end = recordEnd(body, start);
    const offset = baseOffset + body.readUInt32LE(start + 4);
    if (offset >= until) break;
    if (offset >= from) records.push(decodeRecord(body, start, end, baseOffset));
    start = end;
  }
  return records;
}

/** A record and all its bytes, which can be copied to another body of the same base offset. */
export interface EncodedRecord {
  readonly record: LogRecord;
  readonly bytes: Buffer;
}

/** As `decodeRecords`, with the bytes of each. */
export function splitRecords(body: Buffer, baseOffset: Offset): EncodedRecord[] {
  let start = 0;
  return decodeRecords(body, baseOffset).map((record) => {
    const end = recordEnd(body, start);
    const bytes = body.subarray(start, end);
    start = end;
    return { record, bytes };
  });
}

/** Only the offsets of a body's records, in order. */
export function recordOffsets(body: Buffer, baseOffset: Offset): Offset[] {
  const offsets: Offset[] = [];
  for (let start = 0; start < body.length; start = recordEnd(body, start)) {
    offsets.push(baseOffset + body.readUInt32LE(start + 4));
  }
  return offsets;
}

/** Where the record at `start` ends. Throws `RangeError` where it cannot. */
export function recordEnd(body: Buffer, start: number): number {
  const end = start + 4 + body.readUInt32LE(start);
  if (end < start + fixedLength || end > body.length) throw new RangeError('record length');
  return end;
}

/** The record with `offset`, or null; rising offsets cost one way through the body by `looked`. */
export function findRecord(
  body: Buffer,
  baseOffset: Offset,
  offset: Offset,
  looked: LookedThrough,
): StoredRecord | null {
  if (offset < looked.offset) looked.position = 0;
  looked.offset = offset;
  while (looked.position < body.length) {
    const start = looked.position;
    const end = recordEnd(body, start);
    const found = baseOffset + body.readUInt32LE(start + 4);
    if (found >= offset) return found > offset ? null : decodeRecord(body, start, end, baseOffset);
    looked.position = end;
  }
  return null;
}

function decodeRecord(body: Buffer, start: number, end: number, baseOffset: Offset): StoredRecord {
  const keyLength = body.readInt32LE(start + 16);
  const valueLength = body.readInt32LE(start + 20);
  const headerCount = body.readUInt16LE(start + 24);
  const termCount = body.readUInt16LE(start + 26);
  const keyStart = start + fixedLength;
  const headersStart = keyStart + Math.max(keyLength, 0) + Math.max(valueLength, 0);
  if (keyLength < -1 || valueLength < -1 || headersStart > end) throw new RangeError('record');
  return new DecodedRecord(
    baseOffset + body.readUInt32LE(start + 4),
    body.readDoubleLE(start + 8),
    body,
    keyStart,
    keyLength,
    valueLength,
    end,
    headerCount,
    termCount,
  );
}

/** A record whose parts are read when they are asked for: a replay asks for none of them. */
class DecodedRecord implements StoredRecord {
  constructor(
    readonly offset: Offset,
    readonly timestamp: number,
    readonly bytes: Buffer,
    readonly keyStart: number,
    readonly keyLength: number,
    readonly valueLength: number,
    private readonly end: number,
    private readonly headerCount: number,
    private readonly termCount: number,
  ) {}

  get key(): Buffer | null {
    const { keyStart, keyLength } = this;
    return keyLength < 0 ? null : this.bytes.subarray(keyStart, keyStart + keyLength);
  }

  get value(): Buffer | null {
    const { valueLength, headersStart } = this;
    return valueLength < 0 ? null : this.bytes.subarray(headersStart - valueLength, headersStart);
  }

  get headers(): readonly RecordHeader[] {
    if (this.headerCount === 0) return noHeaders;
    return decodeHeaders(this.bytes, this.cursor(), this.headerCount);
  }

  get terms(): readonly string[] {
    if (this.termCount === 0) return noTerms;
    const cursor = this.cursor();
    decodeHeaders(this.bytes, cursor, this.headerCount);
    return decodeTerms(this.bytes, cursor, this.termCount);
  }

  private get headersStart(): number {
    return this.keyStart + Math.max(this.keyLength, 0) + Math.max(this.valueLength, 0);
  }

  private cursor(): Cursor {
    return { position: this.headersStart, end: this.end };
  }
}
