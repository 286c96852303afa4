/** What a job would take, without taking it: a page of it, within a bound of work. */
import type { Clock } from '../../engine/clock.js';
import { cursorAt } from '../../http/cursor.js';
import type { JobRange, JobSteps } from './job-verbs.js';

/** So many are named; the others are counted. */
const namedMax = 100;

/** What one look may cost. */
const budget = { steps: 50_000, milliseconds: 1000 };

/** What `dryRun: true` is answered, beside what was asked for. */
export interface DryRun {
  /** How many it would take of those that were looked at. */
  readonly matched: number;
  /** The ids of the first of them. */
  readonly items: readonly string[];
  /** Goes on there: counts add up. Absent = all were looked at. */
  readonly cursor?: string;
}

/** Looks at what is meant, as far as one look goes. */
export async function dryRun(steps: JobSteps, range: JobRange, clock: Clock): Promise<DryRun> {
  const until = clock.monotonic() + budget.milliseconds;
  const items: string[] = [];
  let matched = 0;
  let looked = 0;
  for await (const { position, item } of steps(range)) {
    looked += 1;
    if (item !== null) {
      matched += 1;
      if (items.length < namedMax) items.push(item.id);
    }
    if (looked < budget.steps && clock.monotonic() < until) continue;
    return { matched, items, cursor: cursorAt(position) };
  }
  return { matched, items };
}
