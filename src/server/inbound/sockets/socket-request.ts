/**
 * Parses the head of an ordinary request from the bytes of its connection (RFC 9112). It accepts
 * only the forms in which almost all requests arrive; Node's parser reads or refuses everything
 * else, including malformed requests.
 */
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHead } from '../../../http/request-head.js';

/** The fields of a head; each name occurs once. */
export interface Fields {
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
}

/**
 * Created only by `readOrdinary`. Names in `headers` are in lower case, those in `rawHeaders` as
 * sent.
 */
export class SocketRequest implements RequestHead {
  readonly httpVersionMinor = 1;
  /** Whether the whole body has arrived. */
  complete = false;

  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];

  constructor(
    readonly socket: Socket,
    readonly method: string,
    readonly url: string,
    { headers, rawHeaders }: Fields,
    /** The length of the head, including the empty line after it. */
    readonly headBytes: number,
    readonly bodyBytes: number,
  ) {
    this.headers = headers;
    this.rawHeaders = rawHeaders;
  }
}

/** Longer heads, in bytes, are left to Node: its parser keeps what has arrived so far. */
const headBytesMax = 16 * 1024;

/**
 * Characters that no head read here may contain: control characters, non-ASCII bytes, lone CR or
 * LF.
 */
const unusual = /[^\x20-\x7e\r\n]|\r(?!\n)|(?<!\r)\n/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const plainLength = /^\d{1,15}$/;
const version = ' HTTP/1.1';
const methods: ReadonlySet<string> = new Set(METHODS);

/** Fields that change how a connection or a body is read, or who may make the request. */
const othersFields = new Set([
  'expect',
  'origin',
  'proxy-connection',
  'set-cookie',
  'stepwell-hop',
  'transfer-encoding',
  'upgrade',
]);

/** What is cached for a field name as it was sent. */
interface FieldName {
  readonly raw: string;
  /** In lower case; '' if a request with this field is not ordinary. */
  readonly name: string;
  /** The latest value of ordinary length: clients send most of their values again and again. */
  latest: string;
}

const fieldNames = new Map<string, FieldName>();
/**
 * Clients choose the names. When this many are cached, the cache is emptied; long names are not
 * cached.
 */
const fieldNamesMax = 1000;
const keptCharactersMax = 200;

/** The request whose head is at the start of `bytes`; null if Node must read the bytes. */
export function readOrdinary(bytes: Buffer, socket: Socket): SocketRequest | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 || end > headBytesMax) return null;
  const text = bytes.toString('latin1', 0, end + 2);
  if (unusual.test(text)) return null;
  const lineEnd = text.indexOf('\r\n');
  const methodEnd = text.indexOf(' ');
  const urlEnd = lineEnd - version.length;
  if (methodEnd <= 0 || urlEnd <= methodEnd || !text.startsWith(version, urlEnd)) return null;
  const url = bytes.toString('latin1', methodEnd + 1, urlEnd);
  if (!url.startsWith('/') || url.includes(' ')) return null;
  const fields = readFields(bytes, text, lineEnd + 2);
  if (fields === null) return null;
  const { connection, 'content-length': length } = fields.headers;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return null;
  if (length === undefined || !plainLength.test(length)) return null;
  const method = text.slice(0, methodEnd);
  if (!methods.has(method)) return null;
  return new SocketRequest(socket, method, url, fields, end + 4, Number(length));
}

/**
 * The fields from `start` on; null if one of them is not ordinary, or occurs twice. Values are
 * copies: a slice of the text would keep all of the text in memory for as long as the value is
 * cached.
 */
function readFields(bytes: Buffer, text: string, start: number): Fields | null {
  const headers: Record<string, string> = {};
  const rawHeaders: string[] = [];
  for (let at = start; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > end) return null;
    const raw = text.slice(at, colon);
    const field = fieldNames.get(raw) ?? learn(bytes.toString('latin1', at, colon));
    if (field.name === '' || headers[field.name] !== undefined) return null;
    const value = valueIn(bytes, text, colon + 1, end, field);
    headers[field.name] = value;
    rawHeaders.push(field.raw, value);
    at = end + 2;
  }
  return { headers, rawHeaders };
}

function learn(raw: string): FieldName {
  const name = raw.toLowerCase();
  const isOrdinary = token.test(raw) && !othersFields.has(name);
  const field = { raw, name: isOrdinary ? name : '', latest: '' };
  if (raw.length > keptCharactersMax) return field;
  if (fieldNames.size >= fieldNamesMax) fieldNames.clear();
  fieldNames.set(raw, field);
  return field;
}

/** The value between `start` and `end`, without surrounding blanks. */
function valueIn(
  bytes: Buffer,
  text: string,
  start: number,
  end: number,
  field: FieldName,
): string {
  let from = start;
  let to = end;
  while (from < to && text.charCodeAt(from) === 0x20) from += 1;
  while (to > from && text.charCodeAt(to - 1) === 0x20) to -= 1;
  const { latest } = field;
  if (latest.length === to - from && text.startsWith(latest, from)) return latest;
  const value = bytes.toString('latin1', from, to);
  if (value.length <= keptCharactersMax) field.latest = value;
  return value;
}
