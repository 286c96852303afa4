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
const place = /^\d{1,15}-(\d{1,15})(?:-(\d{1,15}))?$/;

/** Where the page before ended: letters by their offset in the journal. */
export interface LetterCursor {
  /** Of its last letter. */
  readonly offset: number;
  /** Of the last letter that the walk is about; null = there is no such bound. */
  readonly until: number | null;
}

/** The dlqId of a page's last letter, perhaps with the walk's bound; null = no page before. */
const cursor: FilterReader<LetterCursor | null> = (values) => {
  const given = text(values);
  if (!given.ok || given.value === null) return given as Parsed<null>;
  const [, offset, until] = place.exec(given.value) ?? [];
  if (offset === undefined) return refused('is no cursor of this listing');
  return parsed({ offset: Number(offset), until: until === undefined ? null : Number(until) });
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
