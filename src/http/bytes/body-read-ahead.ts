/** Reads the body of a request before it is decided where the request is served. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../grammar/result.js';
import { NoRoom, noRoomRefusal } from '../no-room.js';
import type { Allowance } from './allowance.js';
import { GatheredBytes } from './gathered-bytes.js';
import { smallBodyBytes } from './in-flight.js';

/** What a body read ahead may be and cost. */
export interface ReadAheadLimits {
  readonly bytesMax: number;
  /** What it counts in; absent = it is bounded otherwise. */
  readonly allowance?: () => Allowance;
}

/**
 * The body, whole, which the request still has for its next reader; null where the client broke it
 * off. Refuses bodies that are longer than `bytesMax`, or find no room.
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
    // The stream has not emitted its end: what is put back now comes before that.
    else if (Buffer.isBuffer(body)) request.unshift(body);
    return body;
  } catch (error) {
    if (error instanceof NoRoom) return noRoomRefusal;
    throw error;
  }
}

const none = Buffer.alloc(0);

/** Takes room until there is enough for `bytes`. */
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
    // Nothing may be awaited from here on until the body is put back.
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
    // `destroyed` says that the client has broken off.
    if (!request.destroyed) throw error;
  } finally {
    settled.abort();
  }
}

/** A body in chunks that had none has ended already: the next reader must not wait for its end. */
function withoutBody({ headers }: IncomingMessage): void {
  delete headers['transfer-encoding'];
}

function tooLong(bytesMax: number): Refusal {
  return new Refusal('too_large', `the body is longer than ${bytesMax} bytes`, {
    connection: 'close',
  });
}
