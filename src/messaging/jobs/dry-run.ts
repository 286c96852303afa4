/** A dry run: what a job would take, page by page, within a budget. */
import type { Clock } from '../../engine/clock.js';
import { cursorAt } from '../../http/cursor.js';
import type { JobRange, JobSteps } from './job-verbs.js';

/** How many items are named; the others are only counted. */
const namedMax = 100;

/** The budget of one page. */
const budget = { steps: 50_000, milliseconds: 1000 };

/** The answer to `dryRun: true`, besides the fields of the request. */
export interface DryRun {
  /** How many of the items examined so far the job would take. */
  readonly matched: number;
  /** The ids of the first of these items. */
  readonly items: readonly string[];
  /** Where the next page begins; counts add up over pages. Absent = all items were examined. */
  readonly cursor?: string;
}

/** Examines the items of a job, as far as the budget allows. */
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
