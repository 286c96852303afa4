/** Which failed runs a request is about, as it is written (workflows.md 6.1). Pure. */
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
/** Of one request (workflows.md 6.2); more are left for the next one. */
export const revivedMax = 50;

const states = whenGiven(names, (given) => {
  const known = given.filter((name): name is CallbackState =>
    callbackStates.some((state) => state === name),
  );
  return known.length === given.length
    ? ok(known)
    : refused(`must be ${callbackStates.join(' or ')}`);
});

/** Filters of failed runs; dates are those of the failure. Of a job all of them hold. */
export const meantFailedRuns = {
  dlqIds: letterIds,
  workflowUrl: urls,
  /** Ids, or what they begin with; each on its own, as an id may hold commas. */
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

/** Filters of bulk actions. There `dlqIds` alone counts. */
export const failedRunFilters = {
  ...meantFailedRuns,
  count: count(pageMax, pageMax),
  cursor: letterCursor,
} as const;

/** Filters of what brings runs to life again: not so many at once. */
export const revivalFilters = {
  ...failedRunFilters,
  count: count(revivedMax, revivedMax),
} as const;

/** Filters of the listing; all of them hold. */
export const failedRunListFilters = {
  ...failedRunFilters,
  order,
  /** What SDKs say instead of `workflowUrl`. */
  url: urls,
  /** One path lists failed runs as well as failed messages: these are the runs. */
  source: oneOf('workflow'),
} as const;

/** As read; null = the filter is not given. */
export type MeantFailedRuns = Filters<typeof meantFailedRuns>;
/** The same with `count` and `cursor`: what one bulk action takes. */
export type FailedRunFilters = Filters<typeof failedRunFilters>;
/** The same with `order` and what SDKs say instead: what one page of the listing shows. */
export type FailedRunListFilters = Filters<typeof failedRunListFilters>;
