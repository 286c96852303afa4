/** Filters of listings and bulk actions over messages (messaging.md 1.3, 2.4 and 10). Pure. */
import {
  type Filters,
  integer,
  matchesUrl,
  names,
  type UrlFilters,
  urls,
} from '../../http/query-filters.js';
import type { MessagePublished } from './message.events.js';
import { messageTerm } from './recorded-events.js';

/** Filters by what a message was published with. Values of a filter are ORed, filters are ANDed. */
export const originFilters = {
  url: urls,
  topicName: names,
  queueName: names,
  scheduleId: names,
  label: names,
  flowControlKey: names,
  callerIp: names,
  /** The callbacks that report on these messages. */
  sourceMessageId: names,
  fromDate: integer,
  toDate: integer,
} as const;

/** The filters of a query as parsed; null = the filter is not given. */
export type OriginFilters = Filters<typeof originFilters>;

/** The fields of a message that these filters examine. */
export type MessageOrigin = Pick<
  MessagePublished,
  | 'url'
  | 'topicName'
  | 'queueName'
  | 'scheduleId'
  | 'labels'
  | 'flowControl'
  | 'callerIp'
  | 'callbackOf'
>;

/** Whether a message published at `at` (Unix milliseconds) matches a query. */
export function matchesOrigin(
  message: MessageOrigin,
  at: number,
  query: OriginFilters & Partial<UrlFilters>,
): boolean {
  const { url, host = null, path = null } = query;
  return (
    isWithin(at, query) &&
    isAmong(message.topicName, query.topicName) &&
    isAmong(message.queueName, query.queueName) &&
    isAmong(message.scheduleId, query.scheduleId) &&
    isAmong(message.flowControl?.key ?? null, query.flowControlKey) &&
    isAmong(message.callerIp, query.callerIp) &&
    isAmong(message.callbackOf?.messageId ?? null, query.sourceMessageId) &&
    (query.label === null || query.label.some((label) => message.labels.includes(label))) &&
    matchesUrl(message.url, { url, host, path })
  );
}

/**
 * Terms of the journal's index for a query: every event of a matching message carries at least one
 * term of each list. No lists = the index does not help.
 */
export function originTerms(query: OriginFilters): readonly (readonly string[])[] {
  const lists = [
    query.url?.map(messageTerm.url),
    query.label?.map(messageTerm.label),
    query.topicName?.map(messageTerm.topicName),
    query.queueName?.map(messageTerm.queueName),
    query.scheduleId?.map(messageTerm.scheduleId),
    query.flowControlKey?.map(messageTerm.flowControlKey),
    query.sourceMessageId?.map(messageTerm.source),
  ];
  return lists.filter((list) => list !== undefined);
}

/** Whether a query filters by anything that a message was published with, other than its time. */
export function looksAtMessage(query: OriginFilters & Partial<UrlFilters>): boolean {
  const { callerIp, host = null, path = null } = query;
  return originTerms(query).length > 0 || [callerIp, host, path].some((each) => each !== null);
}

/** Lists of more values are searched as sets: each event of a long search is compared. */
const longListMin = 16;
const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

/** Whether a value is one of `wanted`; null = any value matches. */
export function isAmong<Value>(value: Value | null, wanted: readonly Value[] | null): boolean {
  if (wanted === null) return true;
  if (value === null) return false;
  if (wanted.length < longListMin) return wanted.includes(value);
  let set = sets.get(wanted);
  if (set === undefined) {
    set = new Set(wanted);
    sets.set(wanted, set);
  }
  return set.has(value);
}

/** Whether a time lies within the dates of a query, both ends inclusive; Unix milliseconds. */
export function isWithin(
  at: number,
  { fromDate, toDate }: Pick<OriginFilters, 'fromDate' | 'toDate'>,
): boolean {
  return (fromDate === null || at >= fromDate) && (toDate === null || at <= toDate);
}
