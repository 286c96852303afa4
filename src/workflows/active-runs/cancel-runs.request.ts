/** Which runs a bulk cancel takes back, as it stands on the wire (workflows.md 4.2). Pure. */
import {
  count,
  type Filters,
  integer,
  matchesUrl,
  names,
  oneOf,
  texts,
  urls,
} from '../../http/query-filters.js';
import { isAmong, isWithin } from '../../messaging/messages/message-filter.js';
import type { RunContext } from '../run-state/run.context.js';

const countMax = 500;

/** Filters of active runs; dates are those of the start. Of a job all of them hold. */
export const meantRuns = {
  /** Each on its own, as an id may hold commas. */
  workflowRunIds: texts,
  /** What a run's URL begins with, or with `workflowUrlExactMatch` what it is. */
  workflowUrl: urls,
  workflowUrlExactMatch: oneOf('true', 'false'),
  label: names,
  flowControlKey: names,
  callerIp: names,
  host: texts,
  path: texts,
  fromDate: integer,
  toDate: integer,
} as const;

/** Filters of `DELETE /v2/workflows/runs`. There `workflowRunIds` alone counts. */
export const cancelRunsFilters = {
  ...meantRuns,
  /** Joined by commas, too, as clients send them: an id with a comma is canceled by its path. */
  workflowRunIds: names,
  /** At most so many are canceled; without it, all that match. */
  count: count(Number.POSITIVE_INFINITY, countMax),
} as const;

/** As read; null = the filter is not given. */
export type MeantRuns = Filters<typeof meantRuns>;
/** The same with `count`, the most that are taken. */
export type CancelRunsFilters = Filters<typeof cancelRunsFilters>;

/** Whether a run is meant by the filters, `workflowRunIds` aside. */
export function isRunMeant(
  { url, createdAt, callerIp, terms }: RunContext,
  filters: MeantRuns,
): boolean {
  const { workflowUrl, workflowUrlExactMatch, host, path, label } = filters;
  const isUrl = (given: string) =>
    workflowUrlExactMatch === 'true' ? url === given : url.startsWith(given);
  return (
    isWithin(createdAt, filters) &&
    isAmong(callerIp, filters.callerIp) &&
    isAmong(terms?.flowControl?.key ?? null, filters.flowControlKey) &&
    (label === null || label.some((each) => terms?.labels.includes(each) ?? false)) &&
    (workflowUrl === null || workflowUrl.some(isUrl)) &&
    matchesUrl(url, { url: null, host, path })
  );
}
