/**
 * A part of all streams, chosen by where each has begun in the journal: what every memory knows
 * that has folded the same events, and what a stream keeps for life. Ids are no help, as each
 * process spreads them by a seed of its own.
 */
export interface StreamPart {
  /** Which part it is, from 0. */
  readonly number: number;
  /** Of how many; a power of two, so that each part of one count is two of the next. */
  readonly of: number;
}

/** The part that has every stream. */
export const allStreams: StreamPart = { number: 0, of: 1 };

/** Whether a stream belongs to a part whose first event is at this offset of the journal. */
export function isInPart(firstOffset: number, { number, of }: StreamPart): boolean {
  return (mixed(firstOffset) & (of - 1)) === number;
}

/** Spreads offsets evenly whatever their stride: the runs of a load begin every fifth event. */
function mixed(offset: number): number {
  let hash = offset ^ Math.floor(offset / 2 ** 32);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
