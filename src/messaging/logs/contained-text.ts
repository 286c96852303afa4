/** Whether a row of the logs shows a text; redacted values cannot be searched. Pure. */
import type { HeaderMap } from '../../grammar/headers.js';
import type { LogRow } from './log-row.js';

/** Searches URL, headers and body of the message, and error, headers and body of the answer. */
export function showsText(row: LogRow, text: string): boolean {
  return (
    row.url.includes(text) ||
    row.error?.includes(text) === true ||
    row.responseBody?.includes(text) === true ||
    holds(row.responseBodyBase64, text) ||
    holds(row.body, text) ||
    names(row.header, text) ||
    names(row.responseHeader, text)
  );
}

function names(headers: HeaderMap | undefined, text: string): boolean {
  return Object.entries(headers ?? {}).some(
    ([name, values]) => name.includes(text) || values.some((value) => value.includes(text)),
  );
}

function holds(base64: string | undefined, text: string): boolean {
  return base64 !== undefined && Buffer.from(base64, 'base64').includes(text);
}
