/** When a sweep is worth it (ADR 76). */

/**
 * How many bytes that no sweep has seen are worth one, in a journal of `all` bytes of which earlier
 * sweeps have kept `seen`. Each sweep reads those again, and what may go fills the disk until then:
 * so they are a twenty-fifth of all there is, or a tenth of what is read again if that is more; and
 * half of it where it is little.
 */
export function worthASweep(all: number, seen: number): number {
  return Math.min(seen / 2, Math.max(all / 25, seen / 10));
}
