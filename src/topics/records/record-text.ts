/** Records as every interface shows them: the Record of topics.md 1.2. */
import type { LogRecord } from '../../../storage/format/record.js';
import { JsonPieces } from './json-pieces.js';
import type { PayloadEncoding } from './payload-encoding.js';
import { type RecordPlace, RecordWriter } from './record-writer.js';

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

/** The `recordText`s of records of one place, with commas between them, as UTF-8. */
export class RecordTexts {
  /** How many records. */
  count = 0;
  /** How many of them have bytes that were shown as replacement characters. */
  replacedCount = 0;
  /** How many bytes the record that was not added last has at least, without its comma. */
  refusedBytes = 0;
  private readonly json = new JsonPieces();
  private readonly writer: RecordWriter;

  constructor(place: RecordPlace, encoding: PayloadEncoding) {
    this.writer = new RecordWriter(place, encoding, this.json);
  }

  get byteLength(): number {
    return this.json.byteLength;
  }

  /** All of it, in pieces. */
  get chunks(): Buffer[] {
    return this.json.pieces;
  }

  toString(): string {
    return this.json.toBuffer().toString();
  }

  /** Adds a record, unless `byteLength` would be more than `bytesMax` with it: false. */
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
