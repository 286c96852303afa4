/**
 * Removes from headers what grants access to this server: it must not reach any destination, any
 * event of a run or any log, whose readers may have fewer rights. Pure.
 */

/** The beginning of the names of session cookies; eight digits that identify the server follow. */
export const sessionCookiePrefix = 'stepwell_';
const sessionCookie = new RegExp(`^${sessionCookiePrefix}[0-9a-f]{8}$`);

/**
 * The value of a `Cookie` header without console sessions: browsers send those of all servers on a
 * host to each of them. Empty = there was nothing else.
 */
export function withoutSessions(cookies: string): string {
  if (!cookies.includes(sessionCookiePrefix)) return cookies;
  const pairs = cookies.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => !sessionCookie.test(pair.split('=', 1)[0] ?? '')).join('; ');
}

/**
 * Names and values in turn, without console sessions, and without `Authorization` if `isOwn` says
 * that it is a credential of this server.
 */
export function withoutCredentials(
  rawHeaders: readonly string[],
  isOwn: boolean,
): readonly string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'authorization' && isOwn) continue;
    const left = lower === 'cookie' ? withoutSessions(value) : value;
    if (left !== '' || value === '') kept.push(name, left);
  }
  return kept;
}
