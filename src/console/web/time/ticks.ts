/** The marks of a time axis: at round times, not at fractions of the span. */
import { duration, hour } from './format.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Distances between marks that are natural to people, from one second up. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs),
  ...[1, 2, 3, 6, 12].map((count) => count * hourMs),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => count * dayMs),
];

/** More marks than these leave too little room for their labels. */
const marksMax = 6;

/** Times in whole ms after the start of a span of `spanMs`: 0 first, at most six. */
export function timeTicks(spanMs: number): readonly number[] {
  if (!(spanMs > 0)) return [0];
  const step = stepFor(Math.max(1, spanMs / (marksMax - 1)));
  return Array.from({ length: Math.floor(spanMs / step) + 1 }, (_, index) => index * step);
}

/** `0`, `500 ms`, `5 s`, `1 min 30 s`: no more digits than the mark needs. */
export function tickWord(ms: number): string {
  if (ms === 0) return '0';
  return ms >= secondMs && ms < minuteMs ? `${ms / secondMs} s` : duration(ms);
}

/** A mark of a clock axis: its time in Unix ms, and its label. */
export interface ClockTick {
  readonly at: number;
  readonly word: string;
}

/**
 * Round times of day between two moments, in the browser's zone: `14:30`, and the date at the start
 * of a day. At most eight.
 */
export function clockTicks(from: number, until: number): readonly ClockTick[] {
  const least = Math.max(minuteMs, (until - from) / clockTicksMax);
  const step = steps.find((each) => each >= least) ?? steps.at(-1) ?? dayMs;
  const ticks: ClockTick[] = [];
  for (let at = firstFrom(from, step); at <= until; at = next(at, step)) {
    const isMidnight = at === midnightOf(at);
    ticks.push({ at, word: isMidnight ? dateWord(at) : hour(at).slice(0, 5) });
  }
  return ticks;
}

/** With more marks, the labels would touch on an axis half a page wide. */
const clockTicksMax = 7;

/** The first time from `from` on that is a whole number of steps into its day. */
function firstFrom(from: number, step: number): number {
  const midnight = midnightOf(from);
  if (step >= dayMs) return from === midnight ? from : next(midnight, dayMs);
  return midnight + Math.ceil((from - midnight) / step) * step;
}

/** Days have 23 or 25 hours when clocks change, so steps start again with each day. */
function next(at: number, step: number): number {
  const days = Math.max(1, Math.floor(step / dayMs));
  const date = new Date(at);
  const later = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  return step >= dayMs ? later : Math.min(at + step, later);
}

function midnightOf(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function dateWord(at: number): string {
  return new Date(at).toLocaleDateString('en-US', { month: 'short', day: 'numeric' });
}

/** The smallest round distance that is at least this long. */
function stepFor(leastMs: number): number {
  const counted = leastMs > secondMs / 2 ? steps.find((step) => step >= leastMs) : undefined;
  if (counted !== undefined) return counted;
  const scale = 10 ** Math.floor(Math.log10(leastMs));
  return [1, 2, 5].map((digit) => digit * scale).find((step) => step >= leastMs) ?? 10 * scale;
}
