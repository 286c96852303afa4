/** How bytes stand in the JSON of the log interface: as UTF-8 text, or as Base64. Pure. */

import { ok, type Result, refused } from '../../grammar/result.js';
import { readLogOptions } from '../../http/dialect.js';

/** Of keys, values and header values; names of headers are always text. */
export type PayloadEncoding = 'text' | 'base64';

/** RFC 4648, section 4: padded; nothing else is skipped over. */
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What a request's `Stream-Encoding` names, of what it brings and of what it is answered. */
export function readEncoding(rawHeaders: readonly string[]): Result<PayloadEncoding> {
  const name = readLogOptions(rawHeaders).get('encoding');
  if (name === undefined) return ok('text');
  const encoding = parseEncoding(name.toLowerCase());
  return encoding.ok ? encoding : refused(`the header Encoding ${encoding.message}`);
}

/** The name of an encoding. */
export function parseEncoding(value: unknown): Result<PayloadEncoding> {
  return value === 'text' || value === 'base64' ? ok(value) : refused('must be text or base64');
}

/** The bytes that a text stands for; null = it is no Base64. */
export function bytesOf(text: string, encoding: PayloadEncoding): Buffer | null {
  if (encoding === 'text') return Buffer.from(text);
  const isSound = text.length % 4 === 0 && base64.test(text);
  return isSound ? Buffer.from(text, 'base64') : null;
}
