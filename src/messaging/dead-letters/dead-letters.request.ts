/** Which dead letters a request is about, as it is written (messaging.md 10). Pure. */
import { count, type Filters, integers, names, order } from '../../http/query-filters.js';
import { originFilters } from '../messages/message-filter.js';
import { letterCursor } from './letter-cursor.js';

const pageMax = 100;

/** Filters of bulk actions; dates are those of the failure. There `dlqIds` alone counts. */
export const bulkFilters = {
  ...originFilters,
  dlqIds: names,
  messageId: names,
  responseStatus: integers,
  count: count(pageMax, pageMax),
  cursor: letterCursor,
} as const;

/** Filters of the listing; all of them hold. */
export const listFilters = { ...bulkFilters, order } as const;

export type LetterFilters = Filters<typeof bulkFilters>;
export type ListFilters = Filters<typeof listFilters>;
