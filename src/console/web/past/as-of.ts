/** The moment as of which an address shows a page. Pure. */

/**
 * Unix milliseconds, written as the server reads them; null = none that there can be, and the page
 * is shown as it is now.
 */
export function momentIn(asOf: string | undefined): number | null {
  return asOf !== undefined && /^\d{1,15}$/.test(asOf) ? Number(asOf) : null;
}
