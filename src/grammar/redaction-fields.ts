/** The fields a publish hides: `body,headers`, `header[Authorization]` (messaging.md 3.6). Pure. */

import { ok, type Result, refused } from './result.js';

/** The parts of a message of which only a digest is shown; deliveries are never redacted. */
export interface Redaction {
  readonly body: boolean;
  /** Header names in lower case; `*` = all of them. */
  readonly headers: readonly string[];
}

const fieldsMax = 64;
/** A header name is a token (RFC 9110, 5.6.2), so it contains no comma or bracket. */
const field = /^(?:(body)|headers?(?:\[([!#$%&'*+.^_`|~0-9A-Za-z-]{1,256})\])?)$/;
const all = '*';

/**
 * Parses a comma-separated list. Both `header` and `headers` mean all headers, or one if a name
 * follows in brackets, in any case. Naming a field twice has no further effect.
 */
export function parseRedaction(text: string): Result<Redaction> {
  const fields = text.split(',', fieldsMax + 1);
  if (fields.length > fieldsMax) return refused(`names more than ${fieldsMax} fields`);
  let body = false;
  const names = new Set<string>();
  for (const each of fields) {
    const found = field.exec(each.trim());
    if (found === null) return refused('must list body, headers or header[<name>]');
    if (found[1] === undefined) names.add(found[2]?.toLowerCase() ?? all);
    else body = true;
  }
  return ok({ body, headers: names.has(all) ? [all] : [...names].sort() });
}
