/**
 * Reads which pending messages a listing shows, and which single message is requested (messaging.md
 * 2.4). Pure.
 */
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

/** Where the previous page ended: a position in the journal. */
const listCursor = whenGiven(cursor, (given) =>
  given.at === 'running' ? refused('is not a cursor of this listing') : ok(given),
);

/** Filters of pending messages; a message must match all. Dates are those of the publish. */
export const messageSelection = {
  ...originFilters,
  host: texts,
  path: texts,
  messageIds: names,
  /** Repeated, not separated by commas, because an id may contain commas. */
  workflowRunId: texts,
  state: states(stateWords),
} as const;

/** The filters as parsed; null = the filter is not given. */
export type SelectedMessages = Filters<typeof messageSelection>;

const listFilters = {
  ...messageSelection,
  count: count(countStandard, countMax),
  cursor: listCursor,
} as const;

/** Like `SelectedMessages`, with the `count` and `cursor` of a page. */
export type MessageListQuery = Filters<typeof listFilters>;

/** Parses the query in a request target. The reason of a refusal names the parameter. */
export function parseListQuery(requestTarget: string): Result<MessageListQuery> {
  return readFilters(requestTarget, listFilters);
}

/** Reads whether a final message is shown, too: clients take a 404 to mean that it has ended. */
export function parseShowQuery(requestTarget: string): Result<{ readonly isFinalShown: boolean }> {
  const filters = readFilters(requestTarget, { final: oneOf('true', 'false') });
  return filters.ok ? ok({ isFinalShown: filters.value.final === 'true' }) : filters;
}
