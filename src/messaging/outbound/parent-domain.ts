/** The domains that names of hosts are in. Pure. */

/**
 * The last two labels of a name. So all names under `co.uk` share one parent: a list of public
 * suffixes would tell them apart, but has to be kept up to date, and such lists also name the
 * platforms whose customers have one name each, which are down together (ADR 122).
 */
export function parentDomain(hostname: string): string {
  return hostname.replace(/\.$/, '').split('.').slice(-2).join('.');
}

/**
 * The domain of an origin, such as `example.com` for `https://shop.example.com:8443`; null for an
 * address and for a name without a dot.
 */
export function domainOf(origin: string): string | null {
  const start = origin.indexOf('//') + 2;
  const port = origin.indexOf(':', start);
  const end = port === -1 ? origin.length : port;
  const lastDot = origin.lastIndexOf('.', end - 1);
  if (lastDot < start || isDigit(origin.charCodeAt(lastDot + 1))) return null;
  const dot = origin.lastIndexOf('.', lastDot - 1);
  return origin.slice(dot < start ? start : dot + 1, end);
}

/** The last label of an IPv4 address begins with a digit, and that of no name does. */
function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
