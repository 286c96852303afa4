/** Which schedules a listing shows, as it is written. Pure. */
import { ok } from '../../grammar/result.js';
import { cursorFilter, offsetPlace } from '../../http/cursor.js';
import { count, type FilterReader, type Filters } from '../../http/query-filters.js';

/** The published clients know no pages and get all; a query for a page gets so many. */
const pageStandard = 100;
const pageMax = 1000;

/** null = not given; without both, all schedules are one answer. */
export const scheduleListFilters = {
  count: (values) => (values.length === 0 ? ok(null) : count(pageStandard, pageMax)(values)),
  /** Where the page before ended: the journal offset at which its last schedule began. */
  cursor: cursorFilter(offsetPlace),
} satisfies Record<string, FilterReader<number | null>>;

/** Both null = all schedules are asked for; `countOf` says how many a page has. */
export type ScheduleListQuery = Filters<typeof scheduleListFilters>;

/** How many schedules a page has. */
export function countOf({ count, cursor }: ScheduleListQuery): number {
  return count ?? (cursor === null ? Number.POSITIVE_INFINITY : pageStandard);
}
