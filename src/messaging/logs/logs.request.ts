/** Turns the parameters of a request about the logs into a query (messaging.md 9). Pure. */
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
 * Filters of rows: a row must match one of the values of every filter; null = not given. Dates are
 * compared with the time of the row.
 */
export interface LogFilters extends Omit<OriginFilters, keyof UrlFilters>, UrlFilters {
  readonly messageIds: readonly string[] | null;
  readonly states: ReadonlySet<LogState> | null;
  /** A text that the row shows somewhere, matched exactly. */
  readonly contains: string | null;
}

/** One page of the logs. */
export interface LogQuery extends LogFilters {
  readonly count: number;
  readonly order: 'latestFirst' | 'earliestFirst';
  readonly cursor: LogCursor | null;
  /** Bytes to show of each body; -1 = no bodies, null = whole bodies. */
  readonly trimBody: number | null;
}

/** The states that each word for a state stands for. */
export type StateWords<State extends string> = ReadonlyMap<string, readonly State[]>;

/**
 * `IN_PROGRESS` is not a state of a row but stands for several; both spellings of `CANCELED` are
 * accepted.
 */
export const stateWords: StateWords<LogState> = new Map([
  ...logStates.map((state): [string, readonly LogState[]] => [state, [state]]),
  ['CANCELLED', ['CANCELED']],
  ['IN_PROGRESS', ['ACTIVE', 'RETRY', 'ERROR']],
]);

/** A filter by states, named by these words; null = absent. */
export function states<State extends string>(
  meaning: StateWords<State>,
): FilterReader<ReadonlySet<State> | null> {
  return whenGiven(names, (words) => {
    const found = new Set<State>();
    for (const word of words) {
      const selected = meaning.get(word);
      if (selected === undefined)
        return refused(`must be one of ${[...meaning.keys()].join(', ')}`);
      for (const state of selected) found.add(state);
    }
    return ok(found);
  });
}

/** Where the previous page ended; null = absent. */
export const cursor: FilterReader<LogCursor | null> = cursorFilter(parsePlace);

/** How many bytes of each body to show; -1 = no bodies. */
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
  /** An old filter that no longer has a meaning: published clients may still send it. */
  api: text,
};

/** Parses the query in a request target. The reason of a refusal names the parameter. */
export function parseLogQuery(requestTarget: string): Result<LogQuery> {
  const filters = readFilters(requestTarget, known);
  if (!filters.ok) return filters;
  const { messageId, messageIds, state, api: _, ...rest } = filters.value;
  return ok({ ...rest, messageIds: shared(messageId, messageIds), states: state });
}

/** The properties that rows can be counted by. */
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
/** A property that `?by=` may name. */
export type CountedProperty = (typeof countedProperties)[number];

/** A query for counts. */
export interface CountsQuery extends LogFilters {
  readonly by: CountedProperty;
  /** Length in ms of the stretches that are counted separately; null = all together. */
  readonly bucketMs: number | null;
  readonly cursor: LogCursor | null;
}

const bucket = whenGiven(text, (given) => {
  const length = parseDuration(given);
  return length.ok && length.value < 1000 ? refused('must be at least 1s') : length;
});

const knownOfCounts = { ...rowFilters, by: oneOf(...countedProperties), bucket };

/** Parses the query of counts in a request target. The reason of a refusal names the parameter. */
export function parseCountsQuery(requestTarget: string): Result<CountsQuery> {
  const filters = readFilters(requestTarget, knownOfCounts);
  if (!filters.ok) return filters;
  const { messageId, messageIds, state, by, bucket: bucketMs, ...rest } = filters.value;
  const ids = shared(messageId, messageIds);
  return ok({ ...rest, messageIds: ids, states: state, by: by ?? 'state', bucketMs });
}

/** Combines two filters of one property: the values that both allow. */
export function shared(
  one: readonly string[] | null,
  other: readonly string[] | null,
): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((id) => other.includes(id));
}
