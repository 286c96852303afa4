/**
 * The heads of the requests of one connection. Clients send theirs again and again, with nothing
 * but the length of the body changed: a head that repeats the bytes of the one before around that
 * length says what that one said, and is not read again (ADR 102).
 */
import type { Socket } from 'node:net';
import { type Fields, readOrdinary, SocketRequest } from './socket-request.js';

/** Longer heads are read each time: every connection keeps its latest one. */
const keptBytesMax = 2048;
/** A connection on which so many in a row repeat nothing has heads that are not alike. */
const missesMax = 8;
const digitsMax = 15;
const lengthName = 'content-length';

const zero = 0x30;
const nine = 0x39;
/** Of a head that was read: there is one. */
const lengthField = /\r\ncontent-length: *(?=\d)/i;

/** A head that was read, around the digits of its length. */
interface KnownHead {
  readonly before: Buffer;
  readonly behind: Buffer;
  /** As they stood there. */
  readonly digits: string;
  readonly request: SocketRequest;
}

export class RequestHeads {
  private known: KnownHead | null = null;
  private misses = 0;

  constructor(private readonly socket: Socket) {}

  /** The request whose head begins `bytes`; null where all of them are to be read by Node. */
  read(bytes: Buffer): SocketRequest | null {
    const { known, socket } = this;
    const repeated = known === null ? null : repeatedIn(bytes, known);
    if (repeated !== null) {
      this.misses = 0;
      return repeated;
    }
    const request = readOrdinary(bytes, socket);
    if (this.misses < missesMax) this.misses += 1;
    const isKept = this.misses < missesMax && request !== null && request.headBytes <= keptBytesMax;
    this.known = isKept ? knownHead(bytes, request) : null;
    return request;
  }
}

function knownHead(bytes: Buffer, request: SocketRequest): KnownHead {
  const { headBytes, headers } = request;
  const head = Buffer.from(bytes.subarray(0, headBytes));
  const digits = headers['content-length'] ?? '';
  const field = lengthField.exec(head.toString('latin1'));
  const start = field === null ? headBytes : field.index + field[0].length;
  const end = start + digits.length;
  return { before: head.subarray(0, start), behind: head.subarray(end), digits, request };
}

/** null = it is another head, or is there in part. */
function repeatedIn(bytes: Buffer, known: KnownHead): SocketRequest | null {
  const { before, behind, digits, request } = known;
  if (!standsAt(bytes, 0, before)) return null;
  const start = before.length;
  let end = start;
  let bodyBytes = 0;
  for (let digit = bytes[end] ?? 0; digit >= zero && digit <= nine; digit = bytes[end] ?? 0) {
    bodyBytes = bodyBytes * 10 + digit - zero;
    end += 1;
  }
  const count = end - start;
  if (count === 0 || count > digitsMax || !standsAt(bytes, end, behind)) return null;
  const { socket, method, url, headBytes } = request;
  const isSame = bodyBytes === request.bodyBytes && count === digits.length;
  const fields = isSame ? request : fieldsWith(request, bytes.toString('latin1', start, end));
  const more = count - digits.length;
  return new SocketRequest(socket, method, url, fields, headBytes + more, bodyBytes);
}

function fieldsWith({ headers, rawHeaders }: SocketRequest, digits: string): Fields {
  const own = { ...headers };
  own['content-length'] = digits;
  const raw = rawHeaders.slice();
  const place = raw.findIndex((name, index) => index % 2 === 0 && isLength(name));
  raw[place + 1] = digits;
  return { headers: own, rawHeaders: raw };
}

function isLength(name: string): boolean {
  return name.length === lengthName.length && name.toLowerCase() === lengthName;
}

function standsAt(bytes: Buffer, at: number, part: Buffer): boolean {
  const end = at + part.length;
  return end <= bytes.length && bytes.compare(part, 0, part.length, at, end) === 0;
}
