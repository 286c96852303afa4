/** The filters of failed runs, as requests spell them (workflows.md 6.1). Pure. */
import { ok, refused } from '../../grammar/result.js';
import {
  count,
  type Filters,
  integer,
  integers,
  names,
  oneOf,
  order,
  texts,
  urls,
  whenGiven,
} from '../../http/query-filters.js';
import { letterCursor, letterIds } from '../../messaging/dead-letters/letter-filters.js';
import { type CallbackState, callbackStates } from '../run-state/callback-state.js';

const pageMax = 100;
/**
 * The most runs that one request revives (workflows.md 6.2); the rest is left for the next request.
 */
export const revivedMax = 50;

const states = whenGiven(names, (given) => {
  const known = given.filter((name): name is CallbackState =>
    callbackStates.some((state) => state === name),
  );
  return known.length === given.length
    ? ok(known)
    : refused(`must be ${callbackStates.join(' or ')}`);
});

/** Filters of failed runs; dates refer to the failure. In a job all given filters must match. */
export const failedRunSelection = {
  dlqIds: letterIds,
  workflowUrl: urls,
  /** Ids or their prefixes; one per value, because an id may contain commas. */
  workflowRunId: texts,
  workflowCreatedAt: integers,
  label: names,
  failureFunctionState: states,
  responseStatus: integers,
  callerIp: names,
  flowControlKey: names,
  fromDate: integer,
  toDate: integer,
} as const;

/** Filters of bulk actions. If `dlqIds` is given, the others are ignored. */
export const failedRunFilters = {
  ...failedRunSelection,
  count: count(pageMax, pageMax),
  cursor: letterCursor,
} as const;

/** Filters of resume and restart, which take fewer runs at once. */
export const revivalFilters = {
  ...failedRunFilters,
  count: count(revivedMax, revivedMax),
} as const;

/** Filters of the listing; all given filters must match. */
export const failedRunListFilters = {
  ...failedRunFilters,
  order,
  /** The name that SDKs use for `workflowUrl`. */
  url: urls,
  /** One path lists both failed runs and failed messages; this value selects the runs. */
  source: oneOf('workflow'),
} as const;

/** The parsed filters; null = the filter is not given. */
export type SelectedFailedRuns = Filters<typeof failedRunSelection>;
/** Like `SelectedFailedRuns`, with `count` and `cursor`: the filters of one bulk action. */
export type FailedRunFilters = Filters<typeof failedRunFilters>;
/**
 * Like `FailedRunFilters`, with `order` and the SDKs' names: the filters of one page of the
 * listing.
 */
export type FailedRunListFilters = Filters<typeof failedRunListFilters>;
