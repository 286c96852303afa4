/** Reads which dead letters a request applies to (messaging.md 10). Pure. */
import { count, type Filters, integers, names, order, texts } from '../../http/query-filters.js';
import { originFilters } from '../messages/message-filter.js';
import { letterCursor, letterErrors, letterIds } from './letter-filters.js';

const pageMax = 100;

/** Filters of letters; dates are those of the failure. A job requires a match with all of them. */
export const letterSelection = {
  ...originFilters,
  host: texts,
  path: texts,
  dlqIds: letterIds,
  messageId: names,
  responseStatus: integers,
  error: letterErrors,
} as const;

/** Filters of bulk actions. If `dlqIds` are given, the other filters are ignored. */
export const bulkFilters = {
  ...letterSelection,
  count: count(pageMax, pageMax),
  cursor: letterCursor,
} as const;

/** Filters of the listing; a letter must match all of them. */
export const listFilters = { ...bulkFilters, order } as const;

/** The filters as parsed; null = the filter is not given. */
export type SelectedLetters = Filters<typeof letterSelection>;
/** Like `SelectedLetters`, with `count` and `cursor`, for one bulk action. */
export type LetterFilters = Filters<typeof bulkFilters>;
/** Like `LetterFilters`, with `order`, for one page of the listing. */
export type ListFilters = Filters<typeof listFilters>;
