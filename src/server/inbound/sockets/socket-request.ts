/**
 * The head of an ordinary request, read from the bytes of its connection (RFC 9112). It knows no
 * more than the forms in which almost all requests come: whatever else a request may be, also one
 * that is malformed, is Node's parser to read or to refuse.
 */
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHead } from '../../../http/request-head.js';

/** The fields of a head; of each name there is one. */
export interface Fields {
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
}

/**
 * Made by `readOrdinary` alone. Names of `headers` are in lower case, those of `rawHeaders` as
 * sent.
 */
export class SocketRequest implements RequestHead {
  readonly httpVersionMinor = 1;
  /** Whether all of its body has come. */
  complete = false;

  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];

  constructor(
    readonly socket: Socket,
    readonly method: string,
    readonly url: string,
    { headers, rawHeaders }: Fields,
    /** With the empty line behind it. */
    readonly headBytes: number,
    readonly bodyBytes: number,
  ) {
    this.headers = headers;
    this.rawHeaders = rawHeaders;
  }
}

/** Longer heads are left to Node, bytes: its parser keeps what has come of them. */
const headBytesMax = 16 * 1024;

/** What no head has that is read here: control characters, other bytes, lone ends of lines. */
const unusual = /[^\x20-\x7e\r\n]|\r(?!\n)|(?<!\r)\n/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const plainLength = /^\d{1,15}$/;
const version = ' HTTP/1.1';
const methods: ReadonlySet<string> = new Set(METHODS);

/** Fields that change how a connection or a body is read, or who may ask. */
const othersFields = new Set([
  'expect',
  'origin',
  'proxy-connection',
  'set-cookie',
  'stepwell-hop',
  'transfer-encoding',
  'upgrade',
]);

/** What is known of a name as it was sent. */
interface FieldName {
  readonly raw: string;
  /** In lower case; '' = a request that has it is not ordinary. */
  readonly name: string;
  /** Its latest value of ordinary length: clients send most of theirs again and again. */
  latest: string;
}

const fieldNames = new Map<string, FieldName>();
/** Clients choose names: with so many all are learnt again, and long ones are judged each time. */
const fieldNamesMax = 1000;
const keptCharactersMax = 200;

/** The request whose head begins `bytes`; null where all of them are to be read by Node. */
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
 * The fields from `start` on; null where one of them is not ordinary, or there twice. Values are
 * copies: a slice of the text would keep all of it for as long as the value is remembered.
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

/** The value between `start` and `end`, without the blanks around it. */
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
