/** Offsets: the place of a record in its log, and how it is stored. */

/** A record's place in its log: 0, 1, 2, ...; it only rises, may have gaps, is never used twice. */
export type Offset = number;

/** Offsets [from, until). */
export interface OffsetRange {
  readonly from: Offset;
  readonly until: Offset;
}

/** Throws for a value that is not an offset: a broken invariant, not bad input. */
export function assertOffset(value: number): Offset {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`no offset: ${value}`);
  return value;
}

/** UINT64, little endian, as two halves: BigInt is an allocation per call. */
export function writeOffset(target: Buffer, value: Offset, position: number): void {
  target.writeUInt32LE(value % 0x1_0000_0000, position);
  target.writeUInt32LE(Math.floor(value / 0x1_0000_0000), position + 4);
}

/** The inverse of `writeOffset`; above 2^53-1 it is `Infinity`, which no valid file contains. */
export function readOffset(source: Buffer, position: number): Offset {
  const low = source.readUInt32LE(position);
  const high = source.readUInt32LE(position + 4);
  // A product is a floating-point number even if it is 0, and so are all offsets computed from it:
  // kept in memory, it would take 16 bytes more than a small integer.
  if (high === 0) return low;
  const value = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}

/** How far a body has been searched: the records before `offset` end at `position`. */
export interface LookedThrough {
  offset: Offset;
  position: number;
}
