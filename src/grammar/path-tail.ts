/** Names at the end of a path that may contain slashes themselves: run ids, event ids. Pure. */

/**
 * The part of a request target's path behind the first `segments`, percent-decoded. (The router's
 * own wildcard drops a slash at the end.) Throws on invalid percent-encoding, which the router has
 * refused before.
 */
export function pathTail(target: string, segments: number): string {
  return decodeURIComponent(rawPathTail(target, segments));
}

/** Like `pathTail`, but as it was sent: a slash within a name is still encoded. */
export function rawPathTail(target: string, segments: number): string {
  const [path = ''] = target.split('?', 1);
  return path
    .split('/')
    .slice(segments + 1)
    .join('/');
}
