/**
 * What is shown in place of a redacted value (messaging.md 3.6). Redaction affects only what is
 * shown, never what is delivered. Pure.
 */
import { createHash } from 'node:crypto';
import { type HeaderMap, isHeaderValue } from '../../grammar/headers.js';
import type { Redaction } from '../../grammar/redaction-fields.js';

/** `REDACTED:` followed by the SHA-256 of the original bytes in lower-case hex. */
export function redacted(original: string | Buffer): string {
  return `REDACTED:${createHash('sha256').update(original).digest('hex')}`;
}

/**
 * Like `redacted`, for the value of a header, in which each character stands for one byte. A text
 * that no header can have carried, such as one that an endpoint submits, is taken as UTF-8.
 */
export function redactedValue(value: string): string {
  return redacted(isHeaderValue(value) ? Buffer.from(value, 'latin1') : value);
}

/**
 * The redaction of a callback. Its body shows what its source was sent, so if the source hides
 * anything, the body of the callback is hidden.
 */
export function callbackRedaction(
  own: Redaction | null,
  source: Redaction | null,
): Redaction | null {
  return source === null ? own : { body: true, headers: own?.headers ?? [] };
}

/** A redaction that hides everything that either of the two hides. */
export function hiding(one: Redaction | null, other: Redaction | null): Redaction | null {
  if (one === null || other === null) return one ?? other;
  return { body: one.body || other.body, headers: [...one.headers, ...other.headers] };
}

/** Whether the values of a header are redacted; `name` may be in any case. */
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

/** A body as it may be shown: if it is redacted, the bytes of the marker; no body stays no body. */
export function redactedBody(body: Buffer | null, redaction: Redaction | null): Buffer | null {
  if (redaction?.body !== true || body === null || body.length === 0) return body;
  return Buffer.from(redacted(body));
}
