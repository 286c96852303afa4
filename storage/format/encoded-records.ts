/** Records that are passed on as they lie in a batch's body: looked at, not decoded. */
import type { Offset } from '../offsets/offset.js';
import { fixedLength, recordEnd } from './record.js';

/** Records of a body, from one of them to its end. */
export interface EncodedRecords {
  /** The whole body. */
  readonly body: Buffer;
  /** Where the first of them begins in it. */
  readonly start: number;
  readonly firstOffset: Offset;
  readonly count: number;
  /** The latest of their timestamps. */
  readonly maxTimestamp: number;
}

/**
 * Those with offsets from `from` on; null where there are none. Throws `RangeError` where the bytes
 * do not follow the grammar, or offsets are left out.
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

/** Gives the record at `start` its place in a body. */
export function placeRecord(body: Buffer, start: number, offsetDelta: number): void {
  body.writeUInt32LE(offsetDelta, start + 4);
}

/**
 * Calls `visit` with where each index term of the record at `start` lies; returns where the record
 * ends. Throws `RangeError` where the bytes do not follow the grammar.
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
