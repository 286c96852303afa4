/** Records that are passed on in their encoded form: examined, but not decoded. */
import type { Offset } from '../offsets/offset.js';
import { fixedLength, recordEnd } from './record.js';

/** The records of a body from one of them to the end. */
export interface EncodedRecords {
  /** The whole body. */
  readonly body: Buffer;
  /** Where the first of the records begins in the body. */
  readonly start: number;
  readonly firstOffset: Offset;
  readonly count: number;
  /** The latest timestamp of the records. */
  readonly maxTimestamp: number;
}

/**
 * The records with offsets from `from` on; null if there are none. Throws `RangeError` if the bytes
 * do not follow the grammar, or if offsets are left out.
 */
export function encodedFrom(body: Buffer, baseOffset: Offset, from: Offset): EncodedRecords | null {
  let first = -1;
  let firstOffset = from;
  let count = 0;
  let maxTimestamp = Number.NEGATIVE_INFINITY;
  for (let start = 0; start < body.length; start = recordEnd(body, start)) {
    const offset = baseOffset + body.readUInt32LE(start + 4);
    if (offset < from) continue;
    if (first < 0) {
      first = start;
      firstOffset = offset;
    } else if (offset !== firstOffset + count) throw new RangeError('record offset');
    count += 1;
    maxTimestamp = Math.max(maxTimestamp, body.readDoubleLE(start + 8));
  }
  return first < 0 ? null : { body, start: first, firstOffset, count, maxTimestamp };
}

/** Sets the offset of the record at `start`, relative to the base offset of its batch. */
export function placeRecord(body: Buffer, start: number, offsetDelta: number): void {
  body.writeUInt32LE(offsetDelta, start + 4);
}

/**
 * Calls `visit` with the place of each index term of the record at `start`; returns the end of the
 * record. Throws `RangeError` if the bytes do not follow the grammar.
 */
export function eachTerm(
  body: Buffer,
  start: number,
  visit: (from: number, to: number) => void,
): number {
  const end = recordEnd(body, start);
  const termCount = body.readUInt16LE(start + 26);
  if (termCount === 0) return end;
  const keyLength = Math.max(body.readInt32LE(start + 16), 0);
  const valueLength = Math.max(body.readInt32LE(start + 20), 0);
  let position = start + fixedLength + keyLength + valueLength;
  for (let header = body.readUInt16LE(start + 24); header > 0; header -= 1) {
    position += 2 + body.readUInt16LE(position);
    position += 4 + Math.max(body.readInt32LE(position), 0);
  }
  for (let term = 0; term < termCount; term += 1) {
    const from = position + 2;
    position = from + body.readUInt16LE(position);
    if (position > end) throw new RangeError('record term');
    visit(from, position);
  }
  return end;
}
