/** Parses the queries of the logs of runs (workflows.md 5). Pure. */
import { ok, type Result, refused } from '../../grammar/result.js';
import {
  count,
  type Filters,
  integer,
  integers,
  matchesUrl,
  names,
  oneOf,
  order,
  readFilters,
  text,
  texts,
  urls,
  whenGiven,
} from '../../http/query-filters.js';
import type { LogCursor } from '../../messaging/logs/log-cursor.js';
import {
  cursor,
  type StateWords,
  shared,
  states,
  stateWords,
  trim,
} from '../../messaging/logs/logs.request.js';
import { isAmong } from '../../messaging/messages/message-filter.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { type RunLifeState, runLogStates, runStates } from '../history/run-log-entry.js';

const rowsMax = 1000;
const runsMax = 10;

/** A run by its id and the time of its start, Unix milliseconds: `wfr_1@1767000000000`. */
interface NamedRun {
  readonly runId: string;
  readonly createdAt: number;
}

const namedRuns = whenGiven<readonly string[], readonly NamedRun[]>(names, (all) => {
  const found: NamedRun[] = [];
  for (const each of all) {
    const [, runId, createdAt] = /^(.+)@(\d{1,15})$/.exec(each) ?? [];
    if (runId === undefined) return refused('must be ids with times, as in wfr_1@1767000000000');
    found.push({ runId, createdAt: Number(createdAt) });
  }
  return ok(found);
});

const known = {
  /** One id per value, because an id may contain commas. */
  workflowRunId: texts,
  workflowUrl: urls,
  workflowCreatedAt: integers,
  workflowRuns: namedRuns,
  host: texts,
  path: texts,
  label: names,
  flowControlKey: names,
  callerIp: names,
  messageId: names,
  messageIds: names,
  fromDate: integer,
  toDate: integer,
  trimBody: trim,
  order,
  cursor,
};

/** The values of one filter are alternatives, and all filters must match; null = no filter. */
interface RunLogFilters<State extends string>
  extends Omit<Filters<typeof known>, 'messageId' | 'messageIds' | 'cursor'> {
  readonly messageIds: readonly string[] | null;
  readonly states: ReadonlySet<State> | null;
  readonly count: number;
  readonly cursor: LogCursor | null;
}

/** The query of one page of rows; dates refer to the rows. */
export type RunLogQuery = RunLogFilters<string>;

/** The query of one page of runs; dates refer to their starts. */
export type RunListQuery = RunLogFilters<RunLifeState>;

const rowWords: StateWords<string> = new Map<string, readonly string[]>([
  ...stateWords,
  ...runLogStates.map((state): [string, readonly string[]] => [state, [state]]),
]);
const runWords: StateWords<RunLifeState> = new Map(runStates.map((state) => [state, [state]]));

const knownOfRows = { ...known, state: states(rowWords), count: count(rowsMax, rowsMax) };
const knownOfRuns = {
  ...known,
  state: states(runWords),
  count: count(runsMax, runsMax),
  groupBy: oneOf('workflowRunId'),
  /** An obsolete filter without effect, which published clients may still send. */
  api: text,
};

/** Whether the query asks for any grouping of the rows. */
export function isGrouped(requestTarget: string): boolean {
  return /[?&]groupBy=/.test(requestTarget);
}

/** Parses the query of a listing of rows; the reason of a refusal names the parameter. */
export function parseRunLogQuery(requestTarget: string): Result<RunLogQuery> {
  const filters = readFilters(requestTarget, knownOfRows);
  if (!filters.ok) return filters;
  const { messageId, messageIds, state, ...rest } = filters.value;
  return ok({ ...rest, messageIds: shared(messageId, messageIds), states: state });
}

/** Parses the query of a listing of runs; the reason of a refusal names the parameter. */
export function parseRunListQuery(requestTarget: string): Result<RunListQuery> {
  const filters = readFilters(requestTarget, knownOfRuns);
  if (!filters.ok) return filters;
  const { messageId, messageIds, state, groupBy: _, api: __, ...rest } = filters.value;
  return ok({ ...rest, messageIds: shared(messageId, messageIds), states: state });
}

/** The fields of a run, or of one of its messages, that the filters check. */
export interface FilteredRun {
  readonly runId: string;
  readonly url: string;
  /** When the run was started, Unix milliseconds. */
  readonly createdAt: number;
  readonly labels: readonly string[];
  readonly flowControlKey: string | null;
  readonly callerIp: string;
}

type OriginQuery = Omit<RunLogQuery, 'states' | 'messageIds' | 'count' | 'cursor'>;

/**
 * Whether a run matches all filters about runs; filters about messages and states are not checked.
 */
export function matchesRun(run: FilteredRun, query: OriginQuery): boolean {
  const { workflowUrl: url, host, path, label, workflowRuns } = query;
  const isNamed = (named: NamedRun) =>
    named.runId === run.runId && named.createdAt === run.createdAt;
  return (
    isAmong(run.runId, query.workflowRunId) &&
    isAmong(run.createdAt, query.workflowCreatedAt) &&
    (workflowRuns === null || workflowRuns.some(isNamed)) &&
    isAmong(run.callerIp, query.callerIp) &&
    isAmong(run.flowControlKey, query.flowControlKey) &&
    (label === null || label.some((each) => run.labels.includes(each))) &&
    matchesUrl(run.url, { url, host, path })
  );
}

/** Terms of the index: every event of a matching run has a term of each list. */
export function runQueryTerms(query: OriginQuery): readonly (readonly string[])[] {
  const lists = [
    query.workflowRunId?.map(messageTerm.runId),
    query.workflowRuns?.map(({ runId }) => messageTerm.runId(runId)),
    query.workflowUrl?.map(messageTerm.url),
    query.label?.map(messageTerm.label),
    query.flowControlKey?.map(messageTerm.flowControlKey),
  ];
  return lists.filter((list) => list !== undefined);
}
