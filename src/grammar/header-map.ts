/** Headers as the API shows them. Pure. */
import { titleCase } from './header-field.js';

/** Header name in Title-Case to its values. */
export type HeaderMap = Record<string, string[]>;

/** Flat name, value pairs as a map; a `Content-Type` of its own comes first and wins. */
export function headerMap(contentType: string | null, pairs: readonly string[]): HeaderMap {
  // A header may be called `__proto__`: the map must have no prototype to set.
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
