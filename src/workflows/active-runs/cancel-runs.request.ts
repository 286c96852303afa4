/** The filters of a bulk cancel, as requests spell them (workflows.md 4.2). Pure. */
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

/** Filters of active runs; dates refer to the start. In a job all given filters must match. */
export const selectedRuns = {
  /** One id per value, because an id may contain commas. */
  workflowRunIds: texts,
  /** The prefix of the run's URL; with `workflowUrlExactMatch`, the whole URL. */
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

/** Filters of `DELETE /v2/workflows/runs`. If `workflowRunIds` is given, the others are ignored. */
export const cancelRunsFilters = {
  ...selectedRuns,
  /**
   * Also joined by commas, as clients send them; an id that contains a comma is canceled by its
   * path.
   */
  workflowRunIds: names,
  /** The most runs to cancel; if absent, all that match. */
  count: count(Number.POSITIVE_INFINITY, countMax),
} as const;

/** The parsed filters; null = the filter is not given. */
export type SelectedRuns = Filters<typeof selectedRuns>;
/** Like `SelectedRuns`, with `count`, the most runs to cancel. */
export type CancelRunsFilters = Filters<typeof cancelRunsFilters>;

/** Whether a run matches the filters other than `workflowRunIds`. */
export function isRunSelected(
  { url, createdAt, callerIp, terms }: RunContext,
  filters: SelectedRuns,
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
