/**
 * How much was recorded in the journal over time, including what was swept since (administration.md
 * 1.3).
 */
import type { Journal } from '../../engine/journal.js';
import type { ActivityQuestion } from './journal.request.js';

/** One step of time. */
export interface ActivityBucket {
  /** The start of the step, in Unix ms. */
  readonly at: number;
  /** How many offsets were assigned in the step: an offset is never assigned again. */
  readonly events: number;
}

/** Queries the index once for each step; `isWanted` is checked before each. */
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
