/** Decodes the headers and terms of a record (`record.ts` has the grammar). */

/** A header of a record; names may repeat, and their order is kept. */
export interface RecordHeader {
  readonly name: string;
  readonly value: Buffer | null;
}

/** The position of a reader within a record, and the record's end. */
export interface ByteCursor {
  position: number;
  readonly end: number;
}

/** Decodes headers. Like all of these, throws `RangeError` if the bytes are not in the grammar. */
export function decodeHeaders(body: Buffer, cursor: ByteCursor, count: number): RecordHeader[] {
  const headers: RecordHeader[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = decodeText(body, cursor);
    const length = body.readInt32LE(cursor.position);
    cursor.position += 4;
    headers.push({ name, value: length < 0 ? null : take(body, cursor, length) });
  }
  return headers;
}

/** Decodes the terms, which follow the headers. */
export function decodeTerms(body: Buffer, cursor: ByteCursor, count: number): string[] {
  const terms: string[] = [];
  for (let index = 0; index < count; index += 1) terms.push(decodeText(body, cursor));
  return terms;
}

function decodeText(body: Buffer, cursor: ByteCursor): string {
  const length = body.readUInt16LE(cursor.position);
  cursor.position += 2;
  return take(body, cursor, length).toString();
}

function take(body: Buffer, cursor: ByteCursor, length: number): Buffer {
  const start = cursor.position;
  cursor.position += length;
  if (cursor.position > cursor.end) throw new RangeError('record field');
  return body.subarray(start, cursor.position);
}
