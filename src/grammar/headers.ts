/** Header fields, and flat lists that alternate their names and values. Pure. */

const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether `text` is a token (RFC 9110, 5.1). */
export function isHeaderName(text: string): boolean {
  return fieldName.test(text);
}

/**
 * Whether `text` consists of visible characters, blanks and bytes above ASCII only: no line break
 * (RFC 9110, 5.5).
 */
export function isHeaderValue(text: string): boolean {
  return fieldValue.test(text);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A header value as people read it. On the wire and in the API each character stands for one byte
 * (`Ã©`); if the bytes are UTF-8, this decodes them (`é`). For display only.
 */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value) || !isHeaderValue(value)) return value;
  try {
    return utf8.decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
  } catch {
    return value;
  }
}

/** A header value that carries a text as UTF-8: one character for each of its bytes. */
export function headerBytes(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** Converts `retry-delay` to `Retry-Delay`. */
export function titleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Headers that end with their connection (RFC 9110, 7.6.1), or that each sender writes itself. */
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

/** Whether a header of this name, in any case, must not be forwarded beyond its connection. */
export function endsWithTheHop(name: string): boolean {
  return ownedByTheHop.has(name.toLowerCase());
}

/** The pairs without headers that must not be forwarded; the same list if there are none. */
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

/** A forwarded `Connection: x-internal` marks X-Internal as a header of that earlier hop, too. */
function namedByConnection(pairs: readonly string[]): ReadonlySet<string> {
  let named: Set<string> | undefined;
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    if (pairs[index]?.toLowerCase() !== 'connection') continue;
    named ??= new Set();
    for (const name of (pairs[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return named ?? nothing;
}

/**
 * `defaults` without those that `own` names in any case, followed by `own`; all are flat lists of
 * names and values (messaging.md 6: a publish's own headers override its group's).
 */
export function withDefaultHeaders(
  own: readonly string[],
  defaults: readonly string[],
): readonly string[] {
  if (defaults.length === 0) return own;
  if (own.length === 0) return defaults;
  const named = new Set<string>();
  for (let index = 0; index < own.length; index += 2) named.add((own[index] ?? '').toLowerCase());
  const all: string[] = [];
  for (let index = 0; index + 1 < defaults.length; index += 2) {
    const name = defaults[index] ?? '';
    if (!named.has(name.toLowerCase())) all.push(name, defaults[index + 1] ?? '');
  }
  return [...all, ...own];
}

/** Headers as the API shows them: from names in Title-Case to their values. */
export type HeaderMap = Record<string, string[]>;

/** Flat name-value pairs as a map; a given `contentType` comes first and overrides. */
export function headerMap(contentType: string | null, pairs: readonly string[]): HeaderMap {
  // A header may be named `__proto__`, so the map must have no prototype.
  const map: HeaderMap = Object.create(null);
  if (contentType !== null) map['Content-Type'] = [contentType];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = titleCase((pairs[index] ?? '').toLowerCase());
    if (name === 'Content-Type' && contentType !== null) continue;
    const values = map[name];
    if (values === undefined) map[name] = [pairs[index + 1] ?? ''];
    else values.push(pairs[index + 1] ?? '');
  }
  return map;
}
