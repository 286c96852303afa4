/**
 * Event ids arrive as users spell them, and clients do not encode a percent sign: `50%`. Such a
 * path is not percent-encoded, so it is taken literally (workflows.md 3.4). Pure.
 */

const eventPath = /^\/v2\/(?:wait|notify|waiters)\//;

/**
 * A request target that the router can decode; unchanged if it can be decoded already, or if it is
 * not the path of an event.
 */
export function literalTarget({ url: target = '' }: { readonly url?: string | undefined }): string {
  if (!target.includes('%') || !eventPath.test(target)) return target;
  const [path = '', ...query] = target.split('?');
  if (isEncoding(path)) return target;
  return [path.replaceAll('%', '%25'), ...query].join('?');
}

/** Whether `path` is validly percent-encoded. */
export function isEncoding(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
