/** Where the axis of a waterfall has its marks: at round times, not fractions of the run. Pure. */
import { duration } from '../time/format.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Distances between marks that people count in, beyond a second. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => count * day),
];

/** More marks than these are too close together for their words. */
const marksMax = 6;

/** Whole milliseconds after the start of a run that took `spanMs`: 0 first, at most six. */
export function timeTicks(spanMs: number): readonly number[] {
  if (!(spanMs > 0)) return [0];
  const step = stepFor(Math.max(1, spanMs / (marksMax - 1)));
  return Array.from({ length: Math.floor(spanMs / step) + 1 }, (_, index) => index * step);
}

/** `0`, `500 ms`, `5 s`, `1 min 30 s`: no more digits than the mark has. */
export function tickWord(ms: number): string {
  if (ms === 0) return '0';
  return ms < minute && ms % second === 0 ? `${ms / second} s` : duration(ms);
}

/** The least round distance that is no smaller. */
function stepFor(leastMs: number): number {
  const counted = leastMs > second / 2 ? steps.find((step) => step >= leastMs) : undefined;
  if (counted !== undefined) return counted;
  const scale = 10 ** Math.floor(Math.log10(leastMs));
  return [1, 2, 5].map((digit) => digit * scale).find((step) => step >= leastMs) ?? 10 * scale;
}
