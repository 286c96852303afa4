/** Reads JSON from a body: bounded in depth before parsing, and never from broken UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { ok, type Result, refused } from './result.js';

/** The maximum nesting of objects and arrays: `JSON.parse` itself recurses. */
export const jsonDepthMax = 64;

/** The byte of `"`, which encloses strings. */
export const quote = 0x22;
/** The byte of `\`, which begins an escape. */
export const backslash = 0x5c;
/** The byte of `{`. */
export const openBrace = 0x7b;
/** The byte of `}`. */
export const closeBrace = 0x7d;
/** The byte of `[`. */
export const openBracket = 0x5b;
/** The byte of `]`. */
export const closeBracket = 0x5d;

/**
 * Parses a JSON text (RFC 8259). Refuses invalid UTF-8, a byte order mark, nesting deeper than
 * `jsonDepthMax` and everything that the parser refuses. `__proto__` is an ordinary own property.
 */
export function parseJson(body: Buffer): Result<unknown> {
  if (body.length === 0) return refused('the body is empty, JSON was expected');
  if (!isUtf8(body)) return refused('the body is not valid UTF-8');
  if (jsonDepth(body) > jsonDepthMax) {
    return refused(`the body is nested deeper than ${jsonDepthMax} levels`);
  }
  try {
    return ok(JSON.parse(body.toString('utf8')));
  } catch {
    return refused('the body is not valid JSON');
  }
}

/** What a JSON text says, as `schema` describes it; null if it says something else. */
export function jsonAs<Value>(text: Buffer, schema: z.ZodType<Value>): Value | null {
  const json = parseJson(text);
  const parsed = schema.safeParse(json.ok ? json.value : null);
  return parsed.success ? parsed.data : null;
}

/** The fields of a JSON object, whatever their values. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object (arrays are not). */
export function isJsonObject(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const noFields: JsonFields = {};

/** The fields of a JSON value; none if it is not an object. */
export function fieldsOf(value: unknown): JsonFields {
  return isJsonObject(value) ? value : noFields;
}

/** As `parseJson`, for a text that no client sent; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text can be encoded as UTF-8: JSON may escape one surrogate without the other. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** The deepest nesting of a text; brackets within strings do not count. */
function jsonDepth(body: Buffer): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === quote) {
      index = endOfString(body, index);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
  }
  return deepest;
}

/** Up to this length, a loop is cheaper than the call of a search. */
const shortStringBytes = 32;

/**
 * The position of the quote that ends the string begun by the quote at `start`; the end of the text
 * if that comes first. Long strings are most of a body, so their ends are searched for natively,
 * unless quotes follow closely on each other, as in JSON within JSON.
 */
export function endOfString(body: Buffer, start: number): number {
  let from = start + 1;
  for (;;) {
    const near = Math.min(body.length, from + shortStringBytes);
    for (; from < near; from += 1) {
      const byte = body[from];
      if (byte === quote) return from;
      if (byte === backslash) from += 1;
    }
    const end = body.indexOf(quote, from);
    if (end === -1) return body.length;
    // Backslashes escape each other in pairs: an even number does not escape the quote.
    let escapes = 0;
    while (end - escapes > from && body[end - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
    from = end + 1;
  }
}
