/** Moments of the journal as people name them: an offset, or a time. */
import type { Journal } from '../../engine/journal.js';
import { parseUtcTime } from '../../grammar/iso-time.js';
import { ok, type Result, refused } from '../../grammar/result.js';

/** A place in the journal; `time` is Unix milliseconds. */
export type JournalMoment = { readonly offset: number } | { readonly time: number };

/** Below this a number is an offset, else Unix milliseconds: the year 2001. */
const timesFrom = 1_000_000_000_000;

/** An offset, Unix milliseconds, or a date of ISO 8601, which is in UTC unless it says. */
export function readMoment(text: string): Result<JournalMoment> {
  if (/^\d{1,15}$/.test(text)) {
    const number = Number(text);
    return ok(number < timesFrom ? { offset: number } : { time: number });
  }
  const time = parseUtcTime(text);
  if (time.ok) return ok({ time: time.value });
  return refused('is not an offset, Unix milliseconds or a date as 2026-11-23T04:00:00Z');
}

/** The first offset that did not happen by then: events at the time itself did. */
export async function offsetBehind(journal: Journal, moment: JournalMoment): Promise<number> {
  const { highWatermark } = journal;
  if ('offset' in moment) return Math.min(moment.offset, highWatermark);
  return Math.min(await journal.offsetFor(moment.time + 1), highWatermark);
}

/** The first offset that happened then or later. */
export async function offsetFrom(journal: Journal, moment: JournalMoment): Promise<number> {
  return 'offset' in moment ? moment.offset : journal.offsetFor(moment.time);
}
