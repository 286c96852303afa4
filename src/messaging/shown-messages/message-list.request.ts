/** Which pending messages a listing shows, and which one is shown (messaging.md 2.4). Pure. */
import { ok, type Result, refused } from '../../grammar/result.js';
import {
  count,
  type Filters,
  names,
  oneOf,
  readFilters,
  texts,
  whenGiven,
} from '../../http/query-filters.js';
import { type PendingState, pendingStates } from '../delivery/pending-state.js';
import { cursor, type StateWords, states } from '../logs/logs.request.js';
import { originFilters } from '../messages/message-filter.js';

const countStandard = 100;
const countMax = 500;

const stateWords: StateWords<PendingState> = new Map(
  pendingStates.map((state): [string, readonly PendingState[]] => [state, [state]]),
);

/** Where the page before ended: a place in the journal. */
const listCursor = whenGiven(cursor, (given) =>
  given.at === 'running' ? refused('is no cursor of this listing') : ok(given),
);

/** Filters of pending messages, all of which hold; dates are those of the publish. */
export const meantMessages = {
  ...originFilters,
  host: texts,
  path: texts,
  messageIds: names,
  /** Each on its own, as an id may hold commas. */
  workflowRunId: texts,
  state: states(stateWords),
} as const;

/** As read; null = the filter is not given. */
export type MeantMessages = Filters<typeof meantMessages>;

const listFilters = {
  ...meantMessages,
  count: count(countStandard, countMax),
  cursor: listCursor,
} as const;

/** The same with `count` and `cursor` of a page. */
export type MessageListQuery = Filters<typeof listFilters>;

/** The query in a request target. The reason of a refusal names the parameter. */
export function parseListQuery(requestTarget: string): Result<MessageListQuery> {
  return readFilters(requestTarget, listFilters);
}

/** Whether a message is to be shown that is final, too: clients take a 404 for its end. */
export function parseShowQuery(requestTarget: string): Result<{ readonly isFinalShown: boolean }> {
  const filters = readFilters(requestTarget, { final: oneOf('true', 'false') });
  return filters.ok ? ok({ isFinalShown: filters.value.final === 'true' }) : filters;
}
