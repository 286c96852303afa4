/**
 * What is shown in place of a redacted value (messaging.md 3.6).
 * Only showing goes through here: what is delivered never does. Pure.
 */
import { createHash } from 'node:crypto';
import { type HeaderMap, isHeaderValue } from '../../grammar/headers.js';
import type { Redaction } from '../../grammar/redaction-fields.js';

/** `REDACTED:` and the SHA-256 of the original bytes in lower-case hex. */
export function redacted(original: string | Buffer): string {
  return `REDACTED:${createHash('sha256').update(original).digest('hex')}`;
}

/**
 * The same of the value of a header, in which a character stands for one byte. A text that no
 * header has carried, as an endpoint may submit one, counts as UTF-8.
 */
export function redactedValue(value: string): string {
  return redacted(isHeaderValue(value) ? Buffer.from(value, 'latin1') : value);
}

/** What a callback hides: its body shows what its source was sent, so it hides what that hides. */
export function callbackRedaction(
  own: Redaction | null,
  source: Redaction | null,
): Redaction | null {
  return source === null ? own : { body: true, headers: own?.headers ?? [] };
}

/** What hides everything that one of both hides. */
export function hiding(one: Redaction | null, other: Redaction | null): Redaction | null {
  if (one === null || other === null) return one ?? other;
  return { body: one.body || other.body, headers: [...one.headers, ...other.headers] };
}

/** Whether the values of a header are redacted; its name in any case. */
export function hidesHeader({ headers }: Redaction, name: string): boolean {
  return headers.includes('*') || headers.includes(name.toLowerCase());
}

/** A header map as it may be shown: each value of a redacted header is replaced on its own. */
export function redactedHeaders(map: HeaderMap, redaction: Redaction | null): HeaderMap {
  if (redaction === null || redaction.headers.length === 0) return map;
  const shown: HeaderMap = Object.create(null);
  for (const [name, values] of Object.entries(map)) {
    shown[name] = hidesHeader(redaction, name) ? values.map(redactedValue) : values;
  }
  return shown;
}

/** A body as it may be shown: the marker's own bytes where it is redacted; none stays none. */
export function redactedBody(body: Buffer | null, redaction: Redaction | null): Buffer | null {
  if (redaction?.body !== true || body === null || body.length === 0) return body;
  return Buffer.from(redacted(body));
}
