/** Which dead letters a request is about, as it is written (messaging protocol 2.9). Pure. */

import { type Parsed, parsed, refused } from '../http/parsed.js';
import {
  count,
  type FilterReader,
  type Filters,
  integers,
  names,
  order,
  text,
} from '../http/query-filters.js';
import { originFilters } from '../messages/message-filter.js';

const pageMax = 100;
const place = /^\d{1,15}-(\d{1,15})$/;

/** The dlqId of the last letter of a page, as its offset in the journal; null = no page before. */
const cursor: FilterReader<number | null> = (values) => {
  const given = text(values);
  if (!given.ok || given.value === null) return given as Parsed<null>;
  const offset = place.exec(given.value)?.[1];
  return offset === undefined ? refused('is no cursor of this listing') : parsed(Number(offset));
};

/** Filters of bulk actions; dates are those of the failure. There `dlqIds` alone counts. */
export const bulkFilters = {
  ...originFilters,
  dlqIds: names,
  messageId: names,
  responseStatus: integers,
  count: count(pageMax, pageMax),
  cursor,
} as const;

/** Filters of the listing; all of them hold. */
export const listFilters = { ...bulkFilters, order } as const;

export type LetterFilters = Filters<typeof bulkFilters>;
export type ListFilters = Filters<typeof listFilters>;
