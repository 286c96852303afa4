/** A record as bytes of JSON: written once, straight into what is sent. */
import type { LogRecord, RecordHeader } from '../../../storage/format/record.js';
import type { JsonPieces } from './json-pieces.js';
import type { PayloadEncoding } from './payload-encoding.js';

/** Where the record stands. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
}

const brace = 0x7d;
const keyField = Buffer.from(',"key":');
const valueField = Buffer.from(',"value":');
const keylessField = Buffer.from(',"key":"","value":');
const headersField = Buffer.from(',"headers":[');
const headersEnd = Buffer.from(']}');
const headerlessEnd = Buffer.from(',"headers":[]}');
const nothing = Buffer.from('null');
const empty = Buffer.from('""');

/** Writes the `recordText`s of records of one place, as UTF-8; ADR 0033 has what that saves. */
export class RecordWriter {
  private readonly beginning: Buffer;
  private timestamp = Number.NaN;
  /** Of the record before: those of one append have the same. */
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

  /** False where some of its bytes had to be shown as replacement characters. */
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
