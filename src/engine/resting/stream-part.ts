/**
 * A part of all streams, chosen by where each began in the journal: every memory that folded the
 * same events knows this, and it never changes for a stream. Ids do not work, as each process
 * hashes them with a seed of its own.
 */
export interface StreamPart {
  /** The number of the part, from 0. */
  readonly number: number;
  /** The number of all parts; a power of two, so that a part becomes two when this doubles. */
  readonly of: number;
}

/** The part that contains every stream. */
export const allStreams: StreamPart = { number: 0, of: 1 };

/** Whether a stream whose first event is at this journal offset belongs to a part. */
export function isInPart(firstOffset: number, { number, of }: StreamPart): boolean {
  return (mixed(firstOffset) & (of - 1)) === number;
}

/** Spreads offsets evenly whatever their stride: in a load test, runs begin every fifth event. */
function mixed(offset: number): number {
  let hash = offset ^ Math.floor(offset / 2 ** 32);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
