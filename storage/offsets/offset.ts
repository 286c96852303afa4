/** The one number everything here is about: a record's place in its log, and how it is written. */

/** A record's place in its log: 0, 1, 2, ...; it only rises, may have gaps, is never used twice. */
export type Offset = number;

/** Offsets [from, until). */
export interface OffsetRange {
  readonly from: Offset;
  readonly until: Offset;
}

/** Refuses what is no offset: a broken invariant, not bad input. */
export function assertOffset(value: number): Offset {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`no offset: ${value}`);
  return value;
}

/** UINT64, little endian, as two halves: BigInt is an allocation per call. */
export function writeOffset(target: Buffer, value: Offset, position: number): void {
  target.writeUInt32LE(value % 0x1_0000_0000, position);
  target.writeUInt32LE(Math.floor(value / 0x1_0000_0000), position + 4);
}

/** The opposite of `writeOffset`; above 2^53-1 it is `Infinity`, which no valid file holds. */
export function readOffset(source: Buffer, position: number): Offset {
  const low = source.readUInt32LE(position);
  const high = source.readUInt32LE(position + 4);
  // A product is floating point even where it is 0, and so is every offset counted from there: one
  // that is kept in memory would take 16 bytes more than a small integer.
  if (high === 0) return low;
  const value = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}

/** How far a body was looked through: the records before `offset` end at `position`. */
export interface LookedThrough {
  offset: Offset;
  position: number;
}
