/** Reloads shown data after the server has reported a change. */
import type { QueryClient } from '@tanstack/react-query';

/** Lists with up to this many pages are reloaded whenever something in them changes. */
const livePagesMax = 2;
/**
 * A longer list, whose reader has scrolled far back, is reloaded at a rate of a page per second.
 */
const pageMs = 1000;

/** How long until a list with this many pages is reloaded; null for a short list. */
export function pauseOf(pages: number): number | null {
  return pages <= livePagesMax ? null : pages * pageMs;
}

/** Reloads shown data of a kind, or of all kinds; long lists have their own pace. */
export function refresh(queries: QueryClient, kind?: string): void {
  queries.invalidateQueries({
    ...(kind !== undefined && { queryKey: [kind] }),
    predicate: ({ state }) => pauseOf(pagesIn(state.data)) === null,
  });
}

/** How many pages of a list are loaded; 0 if the data is not a list. */
function pagesIn(data: unknown): number {
  if (typeof data !== 'object' || data === null || !('pages' in data)) return 0;
  return Array.isArray(data.pages) ? data.pages.length : 0;
}
