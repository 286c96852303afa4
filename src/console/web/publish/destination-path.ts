/** Paths that end with a destination, which has to arrive as it is written. Pure. */

/**
 * `/v2/publish/` and the like with a destination behind it: encoded if a browser or `curl` would
 * change it otherwise, as they resolve `..` (messaging.md 1.5).
 */
export function destinationPath(route: string, destination: string): string {
  const path = `${route}${destination}`;
  const { pathname, search } = new URL(path, 'http://server');
  return pathname + search === path ? path : `${route}${encodeURIComponent(destination)}`;
}
