/** Which rows match a query, and which index terms find them. Pure. */
import { isAmong, originTerms } from '../messages/message-filter.js';
import { endedCallTerm } from '../messages/recorded-events.js';
import type { LogEntry } from './log-entry.js';
import type { LogFilters } from './logs.request.js';

/**
 * Index terms: every matching event carries at least one term of each list. No lists = the index
 * does not help, and events are examined one by one.
 */
export function termsOf(filters: LogFilters): readonly (readonly string[])[] {
  const { messageIds } = filters;
  const lists = originTerms(filters).map((list) => [...list, endedCallTerm]);
  return messageIds === null ? lists : [messageIds, ...lists];
}

/** Whether a row can match, as far as can be decided without its message. */
export function meansEntry(filters: LogFilters, id: string, { state, time }: LogEntry): boolean {
  const { messageIds, states, fromDate, toDate } = filters;
  return (
    isAmong(id, messageIds) &&
    (states === null || states.has(state)) &&
    (fromDate === null || time >= fromDate) &&
    (toDate === null || time <= toDate)
  );
}
