/** Records as every interface shows them: the Message of the log protocol, 1.2. */
import type { LogRecord, RecordHeader } from '../../storage/record.js';
import { JsonPieces } from './json-pieces.js';
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

const comma = 0x2c;
const brace = 0x7d;
const timestampField = Buffer.from(',"timestamp":');
const keyField = Buffer.from(',"key":');
const valueField = Buffer.from(',"value":');
const keylessField = Buffer.from(',"key":"","value":');
const headersField = Buffer.from(',"headers":[');
const headersEnd = Buffer.from(']}');
const headerlessEnd = Buffer.from(',"headers":[]}');
const nothing = Buffer.from('null');
const empty = Buffer.from('""');

/**
 * The `recordText`s of records of one place, with commas between them, as UTF-8. Written byte by
 * byte: of records of 100 bytes that costs a fifth of `JSON.stringify` and its encoding.
 */
export class RecordTexts {
  /** How many records. */
  count = 0;
  /** How many of them have bytes that were shown as replacement characters. */
  replacedCount = 0;
  private readonly beginning: Buffer;
  private readonly json = new JsonPieces();
  private isReplaced = false;

  constructor(
    { topic, partition }: RecordPlace,
    private readonly encoding: PayloadEncoding,
  ) {
    const name = JSON.stringify(topic);
    this.beginning = Buffer.from(`{"topic":${name},"partition":${partition},"offset":`);
  }

  get byteLength(): number {
    return this.json.byteLength;
  }

  /** All of it, in pieces. */
  get chunks(): Buffer[] {
    return this.json.pieces;
  }

  toString(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** Adds a record, unless `byteLength` would be more than `bytesMax` with it: false. */
  add(record: LogRecord, bytesMax: number): boolean {
    const { json } = this;
    const { key, value } = record;
    const raw = json.byteLength + (key?.length ?? 0) + (value?.length ?? 0);
    if (raw > bytesMax) return false;
    const mark = json.mark();
    this.isReplaced = false;
    if (this.count > 0) json.writeByte(comma);
    this.write(record);
    if (json.byteLength > bytesMax) {
      json.rewind(mark);
      return false;
    }
    this.count += 1;
    if (this.isReplaced) this.replacedCount += 1;
    return true;
  }

  private write({ offset, timestamp, key, value, headers }: LogRecord): void {
    const { json } = this;
    json.write(this.beginning);
    json.writeNumber(offset);
    json.write(timestampField);
    json.writeNumber(timestamp);
    if (key === null) json.write(keylessField);
    else {
      json.write(keyField);
      this.writeBytes(key);
      json.write(valueField);
    }
    if (value === null) json.write(nothing);
    else this.writeBytes(value);
    if (headers.length === 0) json.write(headerlessEnd);
    else this.writeHeaders(headers);
  }

  private writeHeaders(headers: readonly RecordHeader[]): void {
    const { json } = this;
    json.write(headersField);
    for (const [index, { name, value }] of headers.entries()) {
      json.writeText(`${index === 0 ? '' : ','}{"key":${JSON.stringify(name)},"value":`);
      if (value === null) json.write(empty);
      else this.writeBytes(value);
      json.writeByte(brace);
    }
    json.write(headersEnd);
  }

  private writeBytes(bytes: Buffer): void {
    if (this.encoding === 'base64') this.json.writeText(`"${bytes.toString('base64')}"`);
    else if (!this.json.writeString(bytes)) this.isReplaced = true;
  }
}

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
