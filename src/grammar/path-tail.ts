/** Names that end a path and may hold slashes themselves: run ids, event ids. Pure. */

/**
 * What follows the first `segments` of a request target's path, percent-decoded. The router's own
 * wildcard would do, had it not lost a slash at the end. Throws on percent signs that encode
 * nothing, which the router has refused before.
 */
export function pathTail(target: string, segments: number): string {
  return decodeURIComponent(rawPathTail(target, segments));
}

/** The same as it was sent: a slash within a name is still encoded. */
export function rawPathTail(target: string, segments: number): string {
  const [path = ''] = target.split('?', 1);
  return path
    .split('/')
    .slice(segments + 1)
    .join('/');
}
