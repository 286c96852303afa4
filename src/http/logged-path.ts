/** What the log says of a request target. */

/** The path of a request target: queries may hold a token and never reach the log. */
export function loggedPath(url: string): string {
  return url.split('?', 1)[0] ?? url;
}
