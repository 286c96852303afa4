/** What a request about the logs means: query parameters to a query (messaging.md 9). Pure. */
import { parseDuration } from '../../grammar/duration.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { cursorFilter } from '../../http/cursor.js';
import {
  count,
  type FilterReader,
  integer,
  names,
  oneOf,
  order,
  readFilters,
  text,
  texts,
  type UrlFilters,
  whenGiven,
} from '../../http/query-filters.js';
import { type OriginFilters, originFilters } from '../messages/message-filter.js';
import { type LogCursor, parsePlace } from './log-cursor.js';
import { type LogState, logStates } from './log-entry.js';

const countStandard = 100;
const countMax = 1000;

/**
 * Filters of rows: values of one are alternatives, all of them hold. null = not given. Dates
 * are compared with the time of the row.
 */
export interface LogFilters extends Omit<OriginFilters, keyof UrlFilters>, UrlFilters {
  readonly messageIds: readonly string[] | null;
  readonly states: ReadonlySet<LogState> | null;
  /** A text that the row shows somewhere, letter by letter. */
  readonly contains: string | null;
}

/** One page of the logs. */
export interface LogQuery extends LogFilters {
  readonly count: number;
  readonly order: 'latestFirst' | 'earliestFirst';
  readonly cursor: LogCursor | null;
  /** Bytes that are shown of each body; -1 = no bodies, null = all of them. */
  readonly trimBody: number | null;
}

/** What each word for a state means. */
export type StateWords<State extends string> = ReadonlyMap<string, readonly State[]>;

/** `IN_PROGRESS` is no state of a row; both spellings of `CANCELED` are understood. */
export const stateWords: StateWords<LogState> = new Map([
  ...logStates.map((state): [string, readonly LogState[]] => [state, [state]]),
  ['CANCELLED', ['CANCELED']],
  ['IN_PROGRESS', ['ACTIVE', 'RETRY', 'ERROR']],
]);

/** Any of these states, by what they are called; null = absent. */
export function states<State extends string>(
  meaning: StateWords<State>,
): FilterReader<ReadonlySet<State> | null> {
  return whenGiven(names, (words) => {
    const found = new Set<State>();
    for (const word of words) {
      const meant = meaning.get(word);
      if (meant === undefined) return refused(`must be one of ${[...meaning.keys()].join(', ')}`);
      for (const state of meant) found.add(state);
    }
    return ok(found);
  });
}

/** Where the page before ended; null = absent. */
export const cursor: FilterReader<LogCursor | null> = cursorFilter(parsePlace);

/** How many bytes of each body are shown; -1 = no bodies. */
export const trim: FilterReader<number | null> = (values) =>
  values.length === 1 && values[0] === '-1' ? ok(-1) : integer(values);

const containsMax = 256;

const contains = whenGiven(text, (given) =>
  given.length > containsMax ? refused(`must have at most ${containsMax} characters`) : ok(given),
);

const rowFilters = {
  ...originFilters,
  host: texts,
  path: texts,
  messageId: names,
  messageIds: names,
  state: states(stateWords),
  contains,
  cursor,
};

const known = {
  ...rowFilters,
  count: count(countStandard, countMax),
  order,
  trimBody: trim,
  /** A filter of old that means nothing any more: published clients may still send it. */
  api: text,
};

/** The query in a request target. The reason of a refusal names the parameter. */
export function parseLogQuery(requestTarget: string): Result<LogQuery> {
  const filters = readFilters(requestTarget, known);
  if (!filters.ok) return filters;
  const { messageId, messageIds, state, api: _, ...rest } = filters.value;
  return ok({ ...rest, messageIds: shared(messageId, messageIds), states: state });
}

/** What rows are counted by. */
export const countedProperties = [
  'state',
  'responseStatus',
  'host',
  'url',
  'label',
  'queueName',
  'flowControlKey',
  'topicName',
  'scheduleId',
] as const;
/** What `?by=` may name. */
export type CountedProperty = (typeof countedProperties)[number];

/** What is counted. */
export interface CountsQuery extends LogFilters {
  readonly by: CountedProperty;
  /** Counted apart for each stretch of so many milliseconds; null = all together. */
  readonly bucketMs: number | null;
  readonly cursor: LogCursor | null;
}

const bucket = whenGiven(text, (given) => {
  const length = parseDuration(given);
  return length.ok && length.value < 1000 ? refused('must be at least 1s') : length;
});

const knownOfCounts = { ...rowFilters, by: oneOf(...countedProperties), bucket };

/** The query of counts in a request target. The reason of a refusal names the parameter. */
export function parseCountsQuery(requestTarget: string): Result<CountsQuery> {
  const filters = readFilters(requestTarget, knownOfCounts);
  if (!filters.ok) return filters;
  const { messageId, messageIds, state, by, bucket: bucketMs, ...rest } = filters.value;
  const ids = shared(messageId, messageIds);
  return ok({ ...rest, messageIds: ids, states: state, by: by ?? 'state', bucketMs });
}

/** Two filters of one property: what both allow. */
export function shared(
  one: readonly string[] | null,
  other: readonly string[] | null,
): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((id) => other.includes(id));
}
