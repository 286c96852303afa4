/**
 * Records as every interface shows them (the Record of topics.md 1.2), with their bytes as UTF-8
 * text or as Base64. Pure.
 */
import type { LogRecord, RecordHeader } from '../../../storage/format/record.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readLogOptions } from '../../http/dialect.js';
import { JsonPieces } from './json-pieces.js';
import { refusedHeader } from './refused-header.js';

/** The encoding of keys, values and header values; header names are always text. */
export type PayloadEncoding = 'text' | 'base64';

/** The topic and partition of a record. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
}

/**
 * JSON text of one record: a missing key is "", a missing value is null, and no field is left out.
 */
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

/** The encoding that `Stream-Encoding` sets for a request and its answer. */
export function readEncoding(rawHeaders: readonly string[]): Result<PayloadEncoding> {
  const name = readLogOptions(rawHeaders).get('encoding');
  if (name === undefined) return ok('text');
  const encoding = parseEncoding(name.toLowerCase());
  if (encoding.ok) return encoding;
  return refusedHeader(rawHeaders, `the header Stream-Encoding ${encoding.message}`);
}

/** Parses the name of an encoding. */
export function parseEncoding(value: unknown): Result<PayloadEncoding> {
  return value === 'text' || value === 'base64' ? ok(value) : refused('must be text or base64');
}

/** Decodes a text; null = it is not Base64. */
export function bytesOf(text: string, encoding: PayloadEncoding): Buffer | null {
  if (encoding === 'text') return Buffer.from(text);
  const isSound = text.length % 4 === 0 && base64.test(text);
  return isSound ? Buffer.from(text, 'base64') : null;
}

/** RFC 4648, section 4: padded, and without any other characters. */
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

const comma = 0x2c;
const brace = 0x7d;
const keyField = Buffer.from(',"key":');
const valueField = Buffer.from(',"value":');
const keylessField = Buffer.from(',"key":"","value":');
const headersField = Buffer.from(',"headers":[');
const headersEnd = Buffer.from(']}');
const headerlessEnd = Buffer.from(',"headers":[]}');
const nothing = Buffer.from('null');
const empty = Buffer.from('""');

/** Writes the `recordText` of records of one partition as UTF-8; ADR 0033 says what that saves. */
export class RecordWriter {
  private readonly beginning: Buffer;
  private timestamp = Number.NaN;
  /** The field of the previous record; records of one append share their timestamp. */
  private timestampField = empty;
  private isText = true;

  constructor(
    { topic, partition }: RecordPlace,
    private readonly encoding: PayloadEncoding,
    private readonly json: JsonPieces,
  ) {
    const name = JSON.stringify(topic);
    this.beginning = Buffer.from(`{"topic":${name},"partition":${partition},"offset":`);
  }

  /** Writes a record; false if some of its bytes became replacement characters. */
  write({ offset, timestamp, key, value, headers }: LogRecord): boolean {
    const { json } = this;
    this.isText = true;
    json.write(this.beginning);
    json.writeNumber(offset);
    if (timestamp !== this.timestamp) {
      this.timestamp = timestamp;
      this.timestampField = Buffer.from(`,"timestamp":${timestamp}`);
    }
    json.write(this.timestampField);
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
    return this.isText;
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
    else if (!this.json.writeString(bytes)) this.isText = false;
  }
}

/** The `recordText` of several records of one partition, separated by commas, as UTF-8. */
export class RecordTexts {
  /** Number of records. */
  count = 0;
  /** Number of records with bytes that became replacement characters. */
  replacedCount = 0;
  /** Minimum bytes of the last record that was not added, without its comma. */
  refusedBytes = 0;
  private readonly json = new JsonPieces();
  private readonly writer: RecordWriter;

  constructor(place: RecordPlace, encoding: PayloadEncoding) {
    this.writer = new RecordWriter(place, encoding, this.json);
  }

  get byteLength(): number {
    return this.json.byteLength;
  }

  /** The whole text, in pieces. */
  get chunks(): Buffer[] {
    return this.json.pieces;
  }

  toString(): string {
    return this.json.toBuffer().toString();
  }

  /** Adds a record; returns false, without adding it, if `byteLength` would exceed `bytesMax`. */
  add(record: LogRecord, bytesMax: number): boolean {
    const { json } = this;
    const { key, value } = record;
    const before = json.byteLength;
    const rawBytes = (key?.length ?? 0) + (value?.length ?? 0);
    if (before + rawBytes > bytesMax) {
      this.refusedBytes = rawBytes;
      return false;
    }
    const mark = json.mark();
    if (this.count > 0) json.writeByte(comma);
    const isText = this.writer.write(record);
    if (json.byteLength > bytesMax) {
      this.refusedBytes = json.byteLength - before - (this.count > 0 ? 1 : 0);
      json.rewind(mark);
      return false;
    }
    this.count += 1;
    if (!isText) this.replacedCount += 1;
    return true;
  }
}
