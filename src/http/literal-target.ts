/**
 * Event ids come as their users spell them, and clients do not encode a percent sign: `50%`. Such a
 * path encodes nothing, so it is taken as it is written (workflows.md 3.4). Pure.
 */

const eventPath = /^\/v2\/(?:wait|notify|waiters)\//;

/** A request's target that the router can decode; the same one wherever it can, or should not. */
export function literalTarget({ url: target = '' }: { readonly url?: string | undefined }): string {
  if (!target.includes('%') || !eventPath.test(target)) return target;
  const [path = '', ...query] = target.split('?');
  if (isEncoding(path)) return target;
  return [path.replaceAll('%', '%25'), ...query].join('?');
}

/** Whether all that stands for other characters in `path` can be decoded. */
export function isEncoding(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
