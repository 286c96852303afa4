/** The moment as of which an address shows a page. Pure. */

/**
 * In Unix ms, in the form that the server parses; null if absent or invalid, and the page is shown
 * as it is now.
 */
export function momentIn(asOf: string | undefined): number | null {
  return asOf !== undefined && /^\d{1,15}$/.test(asOf) ? Number(asOf) : null;
}
