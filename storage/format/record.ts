/** One record inside a batch: as a caller passes it, its bytes, and as a reader gets it. */
import type { LookedThrough, Offset } from '../offsets/offset.js';
import {
  type ByteCursor,
  decodeHeaders,
  decodeTerms,
  type RecordHeader,
} from './record-headers.js';

export type { RecordHeader } from './record-headers.js';

/** A record to append. All bytes are opaque; a string stands for its UTF-8. */
export interface RecordInput {
  readonly key: Buffer | string | null;
  /** Null = the record is a tombstone. */
  readonly value: Buffer | null;
  readonly headers?: readonly RecordHeader[];
  /** Any number of milliseconds; absent: the time of the append. */
  readonly timestamp?: number;
  /** Terms by which `find` finds the record. Kept in it, so that an index can always be rebuilt. */
  readonly terms?: readonly string[];
}

/** A record as read. Its buffers are views of the buffer of the read. */
export interface LogRecord {
  readonly offset: Offset;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
  readonly terms: readonly string[];
}

/** A record with the bytes from which it was read, so that a reader need not slice them. */
export interface StoredRecord extends LogRecord {
  /** The body of the whole batch. */
  readonly bytes: Buffer;
  /** Where the key begins in `bytes`; the value follows it. */
  readonly keyStart: number;
  /** -1 for null. */
  readonly keyLength: number;
  /** -1 for null. */
  readonly valueLength: number;
  /** Bytes of the record with all its parts. */
  readonly byteLength: number;
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
/** Bytes of a record before its key. */
export const fixedLength = 28;
const noHeaders: readonly RecordHeader[] = [];
const noTerms: readonly string[] = [];

/**
 * Decodes the records of a batch's body with offsets in [from, until), in order; skips the others.
 * Throws `RangeError` if the bytes do not follow the grammar (for headers and terms: when they are
 * accessed). If the checksum of the body holds, that is a broken invariant.
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
    if (offset >= from) records.push(new DecodedRecord(body, start, end, baseOffset));
    start = end;
  }
  return records;
}

/** A record with all its bytes, which can be copied to another body with the same base offset. */
export interface EncodedRecord {
  readonly record: LogRecord;
  readonly bytes: Buffer;
}

/** Like `decodeRecords`, with the bytes of each record. */
export function splitRecords(body: Buffer, baseOffset: Offset): EncodedRecord[] {
  let start = 0;
  return decodeRecords(body, baseOffset).map((record) => {
    const end = recordEnd(body, start);
    const bytes = body.subarray(start, end);
    start = end;
    return { record, bytes };
  });
}

/** The offsets of a body's records, in order. */
export function recordOffsets(body: Buffer, baseOffset: Offset): Offset[] {
  const offsets: Offset[] = [];
  for (let start = 0; start < body.length; start = recordEnd(body, start)) {
    offsets.push(baseOffset + body.readUInt32LE(start + 4));
  }
  return offsets;
}

/** The end of the record at `start`. Throws `RangeError` if the length is impossible. */
export function recordEnd(body: Buffer, start: number): number {
  const end = start + 4 + body.readUInt32LE(start);
  if (end < start + fixedLength || end > body.length) throw new RangeError('record length');
  return end;
}

/** The record with `offset`, or null; with `looked`, rising offsets take one pass over the body. */
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
    if (found >= offset)
      return found > offset ? null : new DecodedRecord(body, start, end, baseOffset);
    looked.position = end;
  }
  return null;
}

/** A record whose parts are decoded on access: a replay accesses none of them. */
class DecodedRecord implements StoredRecord {
  readonly offset: Offset;
  readonly timestamp: number;
  readonly keyStart: number;
  readonly keyLength: number;
  readonly valueLength: number;
  readonly byteLength: number;
  private readonly headerCount: number;
  private readonly termCount: number;

  /** The record in [start, end) of a body. Throws `RangeError` if its parts exceed it. */
  constructor(
    readonly bytes: Buffer,
    start: number,
    private readonly end: number,
    baseOffset: Offset,
  ) {
    const keyLength = bytes.readInt32LE(start + 16);
    const valueLength = bytes.readInt32LE(start + 20);
    const partsEnd = start + fixedLength + Math.max(keyLength, 0) + Math.max(valueLength, 0);
    if (keyLength < -1 || valueLength < -1 || partsEnd > end) throw new RangeError('record');
    this.offset = baseOffset + bytes.readUInt32LE(start + 4);
    this.timestamp = bytes.readDoubleLE(start + 8);
    this.keyStart = start + fixedLength;
    this.keyLength = keyLength;
    this.valueLength = valueLength;
    this.byteLength = end - start;
    this.headerCount = bytes.readUInt16LE(start + 24);
    this.termCount = bytes.readUInt16LE(start + 26);
  }

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

  private cursor(): ByteCursor {
    return { position: this.headersStart, end: this.end };
  }
}
