/** Headers that end with their connection, or that the next sender writes itself. Pure. */

/** RFC 9110, 7.6.1, and what the caller of a destination writes itself. */
const ownedByTheHop: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header of this name, in any case, goes no further than its connection. */
export function endsWithTheHop(name: string): boolean {
  return ownedByTheHop.has(name.toLowerCase());
}

/** Names and values in turn without those that go no further; the same list if all of them do. */
export function withoutHopHeaders(pairs: readonly string[]): readonly string[] {
  const named = namedByConnection(pairs);
  const isOwned = (name: string) => endsWithTheHop(name) || named.has(name.toLowerCase());
  const kept: string[] = [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    if (!isOwned(name)) kept.push(name, pairs[index + 1] ?? '');
  }
  return kept.length === pairs.length ? pairs : kept;
}

const nothing: ReadonlySet<string> = new Set();

/** A forwarded `Connection: x-internal` makes X-Internal a matter of that earlier hop too. */
function namedByConnection(pairs: readonly string[]): ReadonlySet<string> {
  let named: Set<string> | undefined;
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    if (pairs[index]?.toLowerCase() !== 'connection') continue;
    named ??= new Set();
    for (const name of (pairs[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return named ?? nothing;
}
