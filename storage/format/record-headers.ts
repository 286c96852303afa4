/** Headers and terms of a record, read from its bytes (the grammar is in `record.ts`). */

/** A header of a record; names may repeat, order is kept. */
export interface RecordHeader {
  readonly name: string;
  readonly value: Buffer | null;
}

/** Where a reader stands within a record, and where that ends. */
export interface ByteCursor {
  position: number;
  readonly end: number;
}

/** Throws `RangeError` where the bytes do not follow the grammar, as all of these do. */
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

/** They stand behind the headers. */
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
