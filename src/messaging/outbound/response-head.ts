/**
 * Parses the head of a response (RFC 9112) strictly enough to know where the body ends: two readers
 * must never see two different ends. Pure.
 */
import { isHeaderName, isHeaderValue } from '../../grammar/headers.js';

/** The length of a body: a number of bytes, in chunks, or up to the end of the connection. */
export type BodyLength = number | 'chunked' | 'toEnd';

/** A head that was parsed. */
export interface ResponseHead {
  readonly status: number;
  /** Names and values in turn, as received, bytes as Latin-1. */
  readonly headers: readonly string[];
  readonly body: BodyLength;
  /** How long the connection may be kept, in ms: 0 = not at all; null = not specified. */
  readonly keptMs: number | null;
}

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?$/;
const knownVersion = /^HTTP\/1\.[01] /;
const wholeNumber = /^\d{1,15}$/;
const keepAliveTimeout = /(?:^|[,\s])timeout\s*=\s*(\d{1,9})/i;

/** What the header fields say about the body and the connection. */
interface Framing {
  length: number | null;
  codings: string | null;
  connection: string;
  keepAlive: string;
}

/** Limit, in characters, for a head that is remembered. */
const keptHeadMax = 1024;

/** Parses successive heads, reusing the last result: within one second most heads are identical. */
export class LatestHead {
  private text = '';
  private method = '';
  private head: ResponseHead | null = null;

  /** Like `parseHead`. */
  read(text: string, method: string): ResponseHead | string {
    if (this.head !== null && text === this.text && method === this.method) return this.head;
    const head = parseHead(text, method);
    if (typeof head === 'string' || text.length > keptHeadMax) return head;
    this.text = text;
    this.method = method;
    this.head = head;
    return head;
  }
}

/**
 * Parses `text`, which excludes the final empty line; returns a string with the reason if it is not
 * a head.
 */
function parseHead(text: string, method: string): ResponseHead | string {
  const lineEnd = endOfLine(text, 0);
  const line = statusLine.exec(text.slice(0, lineEnd));
  if (line === null) {
    return knownVersion.test(text) ? 'invalid status code' : 'unknown version of HTTP';
  }
  const [, minor = '', digits = ''] = line;
  const framing: Framing = { length: null, codings: null, connection: '', keepAlive: '' };
  const headers: string[] = [];
  for (let start = lineEnd + 2; start < text.length; ) {
    const end = endOfLine(text, start);
    const defect = readField(text, start, end, headers, framing);
    if (defect !== null) return defect;
    start = end + 2;
  }
  if (framing.length !== null && framing.codings !== null) {
    return 'content-length and transfer-encoding are both given';
  }
  const status = Number(digits);
  const body = bodyOf(method, status, framing);
  return { status, headers, body, keptMs: body === 'toEnd' ? 0 : keptMs(framing, minor === '1') };
}

/** Reads one field; returns why it is invalid, or null. */
function readField(
  text: string,
  start: number,
  end: number,
  headers: string[],
  framing: Framing,
): string | null {
  const colon = text.indexOf(':', start);
  if (colon === -1 || colon > end) return 'a header without a colon';
  const name = text.slice(start, colon);
  if (!isHeaderName(name)) return 'invalid header name';
  const value = withoutBlanks(text, colon + 1, end);
  if (!isHeaderValue(value)) return 'invalid character in a header value';
  headers.push(name, value);
  return frame(name, value, framing);
}

/** Notes the four fields that matter for framing. The length rules out most names first. */
function frame(name: string, value: string, framing: Framing): string | null {
  const { length } = name;
  if (length !== 10 && length !== 14 && length !== 17) return null;
  switch (name.toLowerCase()) {
    case 'content-length':
      if (framing.length !== null) return 'content-length is given twice';
      if (!wholeNumber.test(value)) return 'content-length is not a whole number';
      framing.length = Number(value);
      return null;
    case 'transfer-encoding':
      framing.codings = framing.codings === null ? value : `${framing.codings}, ${value}`;
      return null;
    case 'connection':
      framing.connection += `,${value.toLowerCase()}`;
      return null;
    case 'keep-alive':
      framing.keepAlive = value;
  }
  return null;
}

function bodyOf(method: string, status: number, { length, codings }: Framing): BodyLength {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return 0;
  if (codings !== null) return /(?:^|,)\s*chunked$/i.test(codings) ? 'chunked' : 'toEnd';
  return length ?? 'toEnd';
}

function keptMs({ connection, keepAlive }: Framing, isPersistent: boolean): number | null {
  const tokens = connection === '' ? [] : connection.split(',').map((token) => token.trim());
  if (tokens.includes('close') || (!isPersistent && !tokens.includes('keep-alive'))) return 0;
  const seconds = keepAliveTimeout.exec(keepAlive)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end === -1 ? text.length : end;
}

/** Strips blanks. `trim` would also remove a no-break space, which is a byte of the value. */
function withoutBlanks(text: string, from: number, until: number): string {
  let start = from;
  let end = until;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
