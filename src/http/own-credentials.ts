/**
 * What headers of a request hold that opens this server: it goes to no destination, into no event
 * of a run and into no log, whose readers may have fewer rights. Pure.
 */

/** What the name of a session's cookie begins with; eight digits of the server follow. */
export const sessionCookiePrefix = 'stepwell_';
const sessionCookie = new RegExp(`^${sessionCookiePrefix}[0-9a-f]{8}$`);

/**
 * The value of a `Cookie` header without the sessions of consoles: browsers show those of all
 * servers of a host to each of them. Empty = nothing else was there.
 */
export function withoutSessions(cookies: string): string {
  if (!cookies.includes(sessionCookiePrefix)) return cookies;
  const pairs = cookies.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => !sessionCookie.test(pair.split('=', 1)[0] ?? '')).join('; ');
}

/**
 * Flat name, value pairs without sessions of consoles and without `Authorization` where `isOwn`
 * says that it is a credential of this server.
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
