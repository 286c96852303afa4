/** Reads which dead letters are counted (messaging.md 10). Pure. */
import { type Filters, integers, names, texts } from '../../http/query-filters.js';
import { letterCursor, letterErrors } from '../dead-letters/letter-filters.js';
import { originFilters } from '../messages/message-filter.js';

/** The filters; a letter must match all of them. Dates are those of the failure. */
export const groupFilters = {
  ...originFilters,
  host: texts,
  path: texts,
  messageId: names,
  responseStatus: integers,
  error: letterErrors,
  cursor: letterCursor,
} as const;

/** The filters as parsed; null = the filter is not given. */
export type GroupFilters = Filters<typeof groupFilters>;
