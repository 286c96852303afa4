/** Moments of the journal as people specify them: an offset, or a time. */
import type { Journal } from '../../engine/journal.js';
import { parseUtcTime } from '../../grammar/iso-time.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';

/** A place in the journal; `time` is in Unix ms. */
export type JournalMoment = { readonly offset: number } | { readonly time: number };

/** A smaller number is an offset, a larger one a time in Unix ms: this is the year 2001. */
const timesFrom = 1_000_000_000_000;

/**
 * Parses an offset, a time in Unix ms, or an ISO 8601 date, which is in UTC unless it has an
 * offset.
 */
export function readMoment(text: string): Result<JournalMoment> {
  if (/^\d{1,15}$/.test(text)) {
    const number = Number(text);
    return ok(number < timesFrom ? { offset: number } : { time: number });
  }
  const time = parseUtcTime(text);
  if (time.ok) return ok({ time: time.value });
  return refused('is not an offset, Unix milliseconds or a date like 2026-11-23T04:00:00Z');
}

/** The first offset after the moment: events at the time itself are included before it. */
export async function offsetBehind(journal: Journal, moment: JournalMoment): Promise<number> {
  const { highWatermark } = journal;
  if ('offset' in moment) return Math.min(moment.offset, highWatermark);
  return Math.min(await journal.offsetFor(moment.time + 1), highWatermark);
}

/** The first offset at or after the moment. */
export async function offsetFrom(journal: Journal, moment: JournalMoment): Promise<number> {
  return 'offset' in moment ? moment.offset : journal.offsetFor(moment.time);
}

/** The answer if events before `until` were swept that could have been part of it. */
export function sweptBefore(until: number): Refusal {
  const message = `what had ended before offset ${until} was swept: it is not known what there was`;
  return new Refusal('unprocessable', message);
}
