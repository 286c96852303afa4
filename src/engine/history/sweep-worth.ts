/** When a sweep is worth it (ADR 76). */

/**
 * How many bytes that no sweep has seen make a sweep worth it, in a journal of `all` bytes of which
 * earlier sweeps have kept `seen`. Each sweep reads the kept bytes again, while removable events
 * fill the disk until it runs. So the result is a twenty-fifth of `all`, or a tenth of `seen` if
 * that is more, but never more than half of `seen`.
 */
export function worthASweep(all: number, seen: number): number {
  return Math.min(seen / 2, Math.max(all / 25, seen / 10));
}
