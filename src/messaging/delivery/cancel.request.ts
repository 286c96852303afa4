/** Reads which messages a bulk cancel applies to (messaging.md 2.4). */
import { count, type Filters, names, texts } from '../../http/query-filters.js';
import { originFilters } from '../messages/message-filter.js';

const countMax = 500;

/** Filters of `DELETE /v2/messages`; dates are those of the publish. */
export const cancelFilters = {
  ...originFilters,
  host: texts,
  path: texts,
  messageIds: names,
  /** The most messages to cancel; without it, all that match. */
  count: count(Number.POSITIVE_INFINITY, countMax),
} as const;

/** The filters as parsed; null = the filter is not given. */
export type CancelFilters = Filters<typeof cancelFilters>;
