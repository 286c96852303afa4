/** Which schedules a listing shows, as it is written. Pure. */
import { ok, refused } from '../../grammar/result.js';
import { count, type FilterReader, type Filters, text } from '../../http/query-filters.js';

/** The published clients know no pages and get all; a query for a page gets so many. */
const pageStandard = 100;
const pageMax = 1000;

/** Where the page before ended: the journal offset at which its last schedule began. */
const cursor: FilterReader<number | null> = (values) => {
  const given = text(values);
  if (!given.ok || given.value === null) return given as ReturnType<typeof cursor>;
  const isOffset = /^\d{1,15}$/.test(given.value);
  return isOffset ? ok(Number(given.value)) : refused('is no cursor of this listing');
};

/** null = not given; without both, all schedules are one answer. */
export const scheduleListFilters = {
  count: (values) => (values.length === 0 ? ok(null) : count(pageStandard, pageMax)(values)),
  cursor,
} satisfies Record<string, FilterReader<number | null>>;

export type ScheduleListQuery = Filters<typeof scheduleListFilters>;

/** How many schedules a page has. */
export function countOf({ count, cursor }: ScheduleListQuery): number {
  return count ?? (cursor === null ? Number.POSITIVE_INFINITY : pageStandard);
}
