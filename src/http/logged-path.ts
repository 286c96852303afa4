/** The form of request targets in the log. */

/** The path of a request target. Queries may contain a token, so they never reach the log. */
export function loggedPath(url: string): string {
  return url.split('?', 1)[0] ?? url;
}
