/**
 * How much was recorded in the journal, by time; also of what was swept since (administration.md
 * 1.3).
 */
import type { Journal } from '../../engine/journal.js';
import type { ActivityQuestion } from './journal.request.js';

/** A step of time. */
export interface ActivityBucket {
  /** Where it begins, Unix milliseconds. */
  readonly at: number;
  /** Offsets that were given out in it: they are never given out again. */
  readonly events: number;
}

/** One look at the index for each step; `isWanted` is asked before each of them. */
export async function activityOf(
  journal: Journal,
  { from, until, stepMs }: ActivityQuestion,
  isWanted: () => boolean,
): Promise<ActivityBucket[]> {
  const buckets: ActivityBucket[] = [];
  let before = await journal.offsetFor(from);
  for (let at = from; at < until && isWanted(); at += stepMs) {
    const behind = await journal.offsetFor(Math.min(at + stepMs, until));
    buckets.push({ at, events: Math.max(0, behind - before) });
    before = Math.max(before, behind);
  }
  return buckets;
}
