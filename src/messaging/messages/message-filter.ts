/** Which messages a listing or a bulk action is about (messaging.md 1.3, 2.4 and 10). Pure. */
import {
  type Filters,
  integer,
  matchesUrl,
  names,
  texts,
  type UrlFilters,
} from '../../http/query-filters.js';
import type { MessagePublished } from './message.events.js';
import { messageTerm } from './message-terms.js';

/** Filters by what a message was published with; values of one are ORed, filters are ANDed. */
export const originFilters = {
  url: texts,
  topicName: names,
  queueName: names,
  scheduleId: names,
  label: names,
  flowControlKey: names,
  callerIp: names,
  fromDate: integer,
  toDate: integer,
} as const;

export type OriginFilters = Filters<typeof originFilters>;

/** What of a message those filters look at. */
export type MessageOrigin = Pick<
  MessagePublished,
  'url' | 'topicName' | 'queueName' | 'scheduleId' | 'labels' | 'flowControl' | 'callerIp'
>;

/** Whether a message of the time `at` (Unix milliseconds) is one of those asked for. */
export function matchesOrigin(
  message: MessageOrigin,
  at: number,
  asked: OriginFilters & Partial<UrlFilters>,
): boolean {
  const { url, host = null, path = null } = asked;
  return (
    isWithin(at, asked) &&
    isAmong(message.topicName, asked.topicName) &&
    isAmong(message.queueName, asked.queueName) &&
    isAmong(message.scheduleId, asked.scheduleId) &&
    isAmong(message.flowControl?.key ?? null, asked.flowControlKey) &&
    isAmong(message.callerIp, asked.callerIp) &&
    (asked.label === null || asked.label.some((label) => message.labels.includes(label))) &&
    matchesUrl(message.url, { url, host, path })
  );
}

/**
 * What the journal's index can be asked for: every event of a message that is meant carries a term
 * of each list. No lists: the index does not help.
 */
export function originTerms(asked: OriginFilters): readonly (readonly string[])[] {
  const lists = [
    asked.url?.map(messageTerm.url),
    asked.label?.map(messageTerm.label),
    asked.topicName?.map(messageTerm.topicName),
    asked.queueName?.map(messageTerm.queueName),
    asked.scheduleId?.map(messageTerm.scheduleId),
    asked.flowControlKey?.map(messageTerm.flowControlKey),
  ];
  return lists.filter((list) => list !== undefined);
}

/** Whether a value is one of those asked for; null = any. */
export function isAmong<Value>(value: Value | null, asked: readonly Value[] | null): boolean {
  return asked === null || (value !== null && asked.includes(value));
}

/** Both ends inclusive, Unix milliseconds. */
export function isWithin(
  at: number,
  { fromDate, toDate }: Pick<OriginFilters, 'fromDate' | 'toDate'>,
): boolean {
  return (fromDate === null || at >= fromDate) && (toDate === null || at <= toDate);
}
