/** Which dead letters a request is about, as it is written (messaging.md 10). Pure. */
import { count, type Filters, integers, names, order, texts } from '../../http/query-filters.js';
import { originFilters } from '../messages/message-filter.js';
import { letterCursor, letterIds } from './letter-filters.js';

const pageMax = 100;

/** Filters of letters; dates are those of the failure. Of a job all of them hold. */
export const meantLetters = {
  ...originFilters,
  host: texts,
  path: texts,
  dlqIds: letterIds,
  messageId: names,
  responseStatus: integers,
} as const;

/** Filters of bulk actions. There `dlqIds` alone counts. */
export const bulkFilters = {
  ...meantLetters,
  count: count(pageMax, pageMax),
  cursor: letterCursor,
} as const;

/** Filters of the listing; all of them hold. */
export const listFilters = { ...bulkFilters, order } as const;

/** As read; null = the filter is not given. */
export type MeantLetters = Filters<typeof meantLetters>;
/** The same with `count` and `cursor`: what one bulk action takes. */
export type LetterFilters = Filters<typeof bulkFilters>;
/** The same with `order`: what one page of the listing shows. */
export type ListFilters = Filters<typeof listFilters>;
