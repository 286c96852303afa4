/** Records as every interface shows them: the Message of the log protocol, 1.2. */
import { isUtf8 } from 'node:buffer';
import type { LogRecord } from '../../storage/record.js';
import type { PayloadEncoding } from './payload-encoding.js';

/** Where the record stands. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
}

/** JSON text of one record: no key is "", no value is null, no field is left out. */
export function recordText(
  record: LogRecord,
  { topic, partition }: RecordPlace,
  encoding: PayloadEncoding = 'text',
): string {
  const textOf = (bytes: Buffer) => bytes.toString(encoding === 'text' ? 'utf8' : 'base64');
  const { offset, timestamp, key, value, headers } = record;
  return JSON.stringify({
    topic,
    partition,
    offset,
    timestamp,
    key: key === null ? '' : textOf(key),
    value: value === null ? null : textOf(value),
    headers: headers.map((header) => ({
      key: header.name,
      value: header.value === null ? '' : textOf(header.value),
    })),
  });
}

const firstChunkBytes = 2 * 1024;
const chunkBytes = 256 * 1024;

/** So many bytes are escaped one by one, and JSON makes at most six of one; more go by text. */
const shortBytesMax = 4 * 1024;
const escapedMax = 6;
/** Field names, two numbers and a comma. */
const frameBytes = 128;

const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const byNumber = 0x75;

/** Byte to the letter behind its backslash, `u` = by its number; 0 = as it is (RFC 8259, 7). */
const escapes = new Uint8Array(256);
escapes.fill(byNumber, 0, 0x20);
for (const [byte, letter] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) {
  escapes[byte?.charCodeAt(0) ?? 0] = letter?.charCodeAt(0) ?? 0;
}

/**
 * The `recordText`s of records of one place, with commas between them, as UTF-8. Written byte by
 * byte: of records of 100 bytes that costs half as much as `JSON.stringify` and its encoding.
 */
export class RecordTexts {
  /** How many records. */
  count = 0;
  /** How many of them have bytes that were shown as replacement characters. */
  replacedCount = 0;
  private readonly beginning: string;
  private readonly closed: Buffer[] = [];
  private closedBytes = 0;
  private open: Buffer = none;
  private end = 0;
  private isReplaced = false;

  constructor(
    { topic, partition }: RecordPlace,
    private readonly encoding: PayloadEncoding,
  ) {
    this.beginning = `{"topic":${JSON.stringify(topic)},"partition":${partition},"offset":`;
  }

  get byteLength(): number {
    return this.closedBytes + this.end;
  }

  /** All of it, in pieces. */
  get chunks(): Buffer[] {
    return this.end === 0 ? this.closed : [...this.closed, this.open.subarray(0, this.end)];
  }

  toString(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** Adds a record, unless `byteLength` would be more than `bytesMax` with it: false. */
  add(record: LogRecord, bytesMax: number): boolean {
    const { key, value, headers } = record;
    const raw = this.byteLength + (key?.length ?? 0) + (value?.length ?? 0);
    if (raw > bytesMax) return false;
    const { closed, closedBytes, end } = this;
    const closedCount = closed.length;
    const openBefore = this.open;
    this.isReplaced = false;
    if (this.count > 0) this.writeByte(comma);
    const { offset, timestamp } = record;
    this.writeAscii(`${this.beginning}${offset},"timestamp":${timestamp},"key":`);
    if (key === null) this.writeAscii('""');
    else this.writeBytes(key);
    this.writeAscii(',"value":');
    if (value === null) this.writeAscii('null');
    else this.writeBytes(value);
    this.writeAscii(',"headers":[');
    headers.forEach((header, index) => {
      if (index > 0) this.writeByte(comma);
      this.writeAscii('{"key":');
      this.writeText(JSON.stringify(header.name));
      this.writeAscii(',"value":');
      if (header.value === null) this.writeAscii('""');
      else this.writeBytes(header.value);
      this.writeAscii('}');
    });
    this.writeAscii(']}');
    if (this.byteLength > bytesMax) {
      closed.length = closedCount;
      this.closedBytes = closedBytes;
      this.open = openBefore;
      this.end = end;
      return false;
    }
    this.count += 1;
    if (this.isReplaced) this.replacedCount += 1;
    return true;
  }

  /** A JSON string of bytes. */
  private writeBytes(bytes: Buffer): void {
    if (this.encoding === 'base64') this.writeAscii(`"${bytes.toString('base64')}"`);
    else if (bytes.length > shortBytesMax || !this.writeShort(bytes)) {
      this.isReplaced ||= !isUtf8(bytes);
      this.writeText(JSON.stringify(bytes.toString()));
    }
  }

  /** False, and nothing is written, where the bytes are no UTF-8. */
  private writeShort(bytes: Buffer): boolean {
    const open = this.room(bytes.length * escapedMax + 2);
    let { end } = this;
    let seen = 0;
    open[end++] = quote;
    // Mostly there is nothing to escape, and copying is faster than writing byte by byte.
    let index = 0;
    for (; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (escapes[byte] !== 0) break;
      seen |= byte;
    }
    end += bytes.copy(open, end, 0, index);
    for (; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      seen |= byte;
      const letter = escapes[byte] ?? 0;
      if (letter === 0) {
        open[end++] = byte;
        continue;
      }
      open[end++] = backslash;
      open[end++] = letter;
      if (letter === byNumber) {
        end += open.write(byte.toString(16).padStart(4, '0'), end, 'latin1');
      }
    }
    open[end++] = quote;
    if (seen > 0x7f && !isUtf8(bytes)) return false;
    this.end = end;
    return true;
  }

  private writeText(text: string): void {
    const length = Buffer.byteLength(text);
    this.room(length).write(text, this.end);
    this.end += length;
  }

  private writeAscii(text: string): void {
    this.room(text.length).write(text, this.end, 'latin1');
    this.end += text.length;
  }

  private writeByte(byte: number): void {
    this.room(1)[this.end] = byte;
    this.end += 1;
  }

  /** The open chunk, with room for `length` bytes at `end`. */
  private room(length: number): Buffer {
    if (this.end + length <= this.open.length) return this.open;
    if (this.end > 0) {
      this.closed.push(this.open.subarray(0, this.end));
      this.closedBytes += this.end;
    }
    const size = Math.min(Math.max(firstChunkBytes, this.open.length * 2), chunkBytes);
    this.open = Buffer.allocUnsafe(Math.max(size, length + frameBytes));
    this.end = 0;
    return this.open;
  }
}

const none = Buffer.alloc(0);

/** One JSON array of records, in pieces. */
export interface RecordsArray {
  readonly chunks: readonly Buffer[];
  /** How many of the records were shown with replacement characters. */
  readonly replacedCount: number;
}

const arrayStart = Buffer.from('[');
const separator = Buffer.from(',');
const arrayEnd = Buffer.from(']');

/** The records of several places, one place after the other. */
export function recordsArray(places: readonly RecordTexts[]): RecordsArray {
  const chunks: Buffer[] = [];
  let replacedCount = 0;
  for (const texts of places) {
    if (texts.count === 0) continue;
    chunks.push(chunks.length === 0 ? arrayStart : separator, ...texts.chunks);
    replacedCount += texts.replacedCount;
  }
  if (chunks.length === 0) chunks.push(arrayStart);
  chunks.push(arrayEnd);
  return { chunks, replacedCount };
}
