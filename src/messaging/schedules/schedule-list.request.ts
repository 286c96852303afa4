/** Reads which schedules a listing shows. Pure. */
import { ok } from '../../grammar/result.js';
import { cursorFilter, offsetPlace } from '../../http/cursor.js';
import { count, type FilterReader, type Filters } from '../../http/query-filters.js';

/** The default size of a page. Published clients know no pages and get all schedules. */
const pageStandard = 100;
const pageMax = 1000;

/** The filters of a listing; null = not given. If both are null, one answer has all schedules. */
export const scheduleListFilters = {
  count: (values) => (values.length === 0 ? ok(null) : count(pageStandard, pageMax)(values)),
  /** Where the previous page ended: the journal offset at which its last schedule began. */
  cursor: cursorFilter(offsetPlace),
} satisfies Record<string, FilterReader<number | null>>;

/** The filters as parsed; both null = all schedules. `countOf` gives the size of a page. */
export type ScheduleListQuery = Filters<typeof scheduleListFilters>;

/** The size of a page, in schedules. */
export function countOf({ count, cursor }: ScheduleListQuery): number {
  return count ?? (cursor === null ? Number.POSITIVE_INFINITY : pageStandard);
}
