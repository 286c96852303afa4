/** Which dead letters are counted, as it is written (messaging.md 10). Pure. */
import { type Filters, integers, names, texts } from '../../http/query-filters.js';
import { letterCursor } from '../dead-letters/letter-filters.js';
import { originFilters } from '../messages/message-filter.js';

/** All of them hold; dates are those of the failure. */
export const groupFilters = {
  ...originFilters,
  host: texts,
  path: texts,
  messageId: names,
  responseStatus: integers,
  cursor: letterCursor,
} as const;

/** As read; null = the filter is not given. */
export type GroupFilters = Filters<typeof groupFilters>;
