/** What is shown is asked for again, as the server has said that it changed. */
import type { QueryClient } from '@tanstack/react-query';

/** So many pages of a list are asked for again whenever something in it changes. */
const livePagesMax = 2;
/** Of a longer list, as of one who has scrolled far back, a page a second is asked for again. */
const pageMs = 1000;

/** How long it is until a list of so many pages is asked for again; null = it is a short one. */
export function pauseOf(pages: number): number | null {
  return pages <= livePagesMax ? null : pages * pageMs;
}

/** Asks again for what is shown of a kind, or of all kinds; long lists have their own pace. */
export function refresh(queries: QueryClient, kind?: string): void {
  queries.invalidateQueries({
    ...(kind !== undefined && { queryKey: [kind] }),
    predicate: ({ state }) => pauseOf(pagesIn(state.data)) === null,
  });
}

/** Pages of a list that are loaded; 0 for what is no list. */
function pagesIn(data: unknown): number {
  if (typeof data !== 'object' || data === null || !('pages' in data)) return 0;
  return Array.isArray(data.pages) ? data.pages.length : 0;
}
