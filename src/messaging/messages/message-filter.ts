/** Which messages a listing or a bulk action is about (messaging.md 1.3, 2.4 and 10). Pure. */
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

/** Filters by what a message was published with; values of one are ORed, filters are ANDed. */
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

/** As read; null = the filter is not given. */
export type OriginFilters = Filters<typeof originFilters>;

/** What of a message those filters look at. */
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

/** Whether a message of the time `at` (Unix milliseconds) is one of those that a query means. */
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
 * Terms of the journal's index for a query: every event of a message that is meant carries a term
 * of each list. No lists: the index does not help.
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

/** Whether a query looks at what a message was published with, beyond its time. */
export function looksAtMessage(query: OriginFilters & Partial<UrlFilters>): boolean {
  const { callerIp, host = null, path = null } = query;
  return originTerms(query).length > 0 || [callerIp, host, path].some((each) => each !== null);
}

/** Whether a value is one of `wanted`; null = any. */
export function isAmong<Value>(value: Value | null, wanted: readonly Value[] | null): boolean {
  return wanted === null || (value !== null && wanted.includes(value));
}

/** Both ends inclusive, Unix milliseconds. */
export function isWithin(
  at: number,
  { fromDate, toDate }: Pick<OriginFilters, 'fromDate' | 'toDate'>,
): boolean {
  return (fromDate === null || at >= fromDate) && (toDate === null || at <= toDate);
}
