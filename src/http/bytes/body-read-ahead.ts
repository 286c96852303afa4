/** Reads the body of a request before it is decided where the request is served. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../grammar/result.js';
import { NoRoom, noRoomRefusal } from '../no-room.js';
import type { Allowance } from './allowance.js';
import { GatheredBytes } from './gathered-bytes.js';
import { smallBodyBytes } from './in-flight.js';

/** Limits for a body that is read ahead. */
export interface ReadAheadLimits {
  readonly bytesMax: number;
  /** The allowance that the body counts against; absent = it is bounded otherwise. */
  readonly allowance?: () => Allowance;
}

/**
 * Reads the whole body and leaves it in the request for the next reader; null if the client broke
 * it off. Refuses bodies that are longer than `bytesMax` or for which there is no room.
 */
export async function readAhead(
  request: IncomingMessage,
  { bytesMax, allowance }: ReadAheadLimits,
): Promise<Buffer | Refusal | null> {
  const { 'content-length': declared, 'transfer-encoding': coding } = request.headers;
  const length = Number(declared ?? 0);
  if (length === 0 && coding === undefined) return none;
  if (length > bytesMax) return tooLong(bytesMax);
  try {
    const body = await collect(request, bytesMax, roomIn(allowance, length));
    if (body === none) withoutBody(request);
    // The stream has not emitted `end` yet, so what is put back now comes before that.
    else if (Buffer.isBuffer(body)) request.unshift(body);
    return body;
  } catch (error) {
    if (error instanceof NoRoom) return noRoomRefusal;
    throw error;
  }
}

const none = Buffer.alloc(0);

/** Ensures that there is room for `bytes`. */
type Room = (bytes: number) => Promise<void> | undefined;

function roomIn(allowance: (() => Allowance) | undefined, declared: number): Room {
  let granted = smallBodyBytes;
  let taken = 0;
  return (bytes) => {
    const needed = Math.max(bytes, declared);
    if (allowance === undefined || needed <= granted) return undefined;
    granted = declared > 0 ? declared : 2 * needed;
    const more = granted - taken;
    taken = granted;
    return allowance().want(more);
  };
}

async function collect(
  request: IncomingMessage,
  bytesMax: number,
  room: Room,
): Promise<Buffer | Refusal | null> {
  const body = new GatheredBytes(bytesMax);
  await room(0);
  for (;;) {
    while (request.readableLength > 0) {
      const piece: Buffer = request.read();
      if (body.length + piece.length > bytesMax) return tooLong(bytesMax);
      body.add(piece);
    }
    // From here on nothing may be awaited until the body is put back.
    if (request.complete) return body.length === 0 ? none : body.bytes;
    if (request.destroyed) return null;
    const more = room(body.length);
    if (more === undefined) await somethingCame(request);
    else await more;
  }
}

async function somethingCame(request: IncomingMessage): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([
      once(request, 'readable', { signal }),
      once(request, 'end', { signal }),
      once(request, 'close', { signal }),
    ]);
  } catch (error) {
    // If `destroyed` is set, the client has broken off the request.
    if (!request.destroyed) throw error;
  } finally {
    settled.abort();
  }
}

/** An empty chunked body has ended already, so the next reader must not wait for its end. */
function withoutBody({ headers }: IncomingMessage): void {
  delete headers['transfer-encoding'];
}

function tooLong(bytesMax: number): Refusal {
  return new Refusal('too_large', `the body is longer than ${bytesMax} bytes`, {
    connection: 'close',
  });
}
