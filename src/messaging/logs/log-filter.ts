/** Which rows a query means, and what the journal's index knows to find them. Pure. */
import { isAmong, originTerms } from '../messages/message-filter.js';
import type { LogEntry } from './log-entry.js';
import type { LogFilters } from './logs.request.js';

/**
 * Index terms: every event that is meant carries at least one of each list. No lists means that
 * the index does not help and events are looked at one after the other.
 */
export function termsOf(filters: LogFilters): readonly (readonly string[])[] {
  const { messageIds } = filters;
  return messageIds === null ? originTerms(filters) : [messageIds, ...originTerms(filters)];
}

/** Whether a row can be meant, as far as that is known without its message. */
export function meansEntry(filters: LogFilters, id: string, { state, time }: LogEntry): boolean {
  const { messageIds, states, fromDate, toDate } = filters;
  return (
    isAmong(id, messageIds) &&
    (states === null || states.has(state)) &&
    (fromDate === null || time >= fromDate) &&
    (toDate === null || time <= toDate)
  );
}
