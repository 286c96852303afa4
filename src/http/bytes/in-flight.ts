/**
 * Keeps the bytes of bodies and answers within the budget, for every route of Fastify: a body is
 * counted before it is read, an answer that can be long before it is made. See ADR 0021.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoRoom } from '../no-room.js';
import type { AnswerState, RequestHead } from '../request-head.js';
import { Allowance, type AllowanceTerms } from './allowance.js';
import { ownerOf } from './owner.js';
import { PacedBody, type Piece, sliceBytes } from './paced-body.js';
import { AnswerPacker } from './packed-answer.js';

/** Bodies up to this are not counted: the number of connections bounds them. Bytes. */
export const smallBodyBytes = 16 * 1024;

/** Answers up to this are not counted: the system takes as much at once. Bytes. */
export const smallAnswerBytes = 64 * 1024;

/** An answer up to about this is sent with its length; a longer one in pieces of it. Bytes. */
export const pieceBytes = 1024 * 1024;

/**
 * Reserved to read a piece of an answer whose length is not known yet: a record or a body is read
 * whole and shown as text. Bytes.
 */
export const readingBytes = 16 * 1024 * 1024;

/** The beginning of an answer in pieces, or all of it. */
export interface FirstPieces extends Piece {
  /** Of all chunks, in bytes. */
  readonly length: number;
}

/** Room to read what may be long. */
export interface ReadAllowance {
  /** Whether there was room at once; it is taken then. */
  takeNow(): boolean;
  /** Settles when there is room; rejects with `NoRoom`. */
  wait(): Promise<void>;
}

/** For the pieces of one answer: `InFlight.first` gives back what each of them did not need. */
export function roomIn(allowance: () => Allowance): ReadAllowance {
  return {
    takeNow: () => allowance().takeNow(readingBytes),
    wait: () => allowance().want(readingBytes),
  };
}

/**
 * One for the server. What came by another way than Fastify takes its `Allowance` from it as well.
 */
export class InFlight {
  private readonly allowances = new WeakMap<AnswerState, Allowance>();
  private readonly packer = new AnswerPacker();

  constructor(private readonly terms: AllowanceTerms) {}

  /** The one allowance of an exchange; `isChecked`: its credential was found good. */
  allowanceOf(request: RequestHead, response: AnswerState, isChecked: boolean): Allowance {
    const known = this.allowances.get(response);
    if (known !== undefined) return known;
    const allowance = new Allowance(this.terms, ownerOf(request, isChecked), response);
    this.allowances.set(response, allowance);
    return allowance;
  }

  /** Of a request that Fastify took in. */
  of(request: FastifyRequest, reply: FastifyReply): Allowance {
    const isChecked = request.routeOptions.config.description?.access === undefined;
    return this.allowanceOf(request.raw, reply.raw, isChecked);
  }

  /** What a route reads with that does not know yet how much it will hold. */
  roomFor(request: FastifyRequest, reply: FastifyReply): ReadAllowance {
    return roomIn(() => this.of(request, reply));
  }

  /** Add it after the guard of the front door, whose refusals need no room. */
  guard(fastify: FastifyInstance): void {
    fastify.addHook('preParsing', (request, reply, payload, done) => {
      // No hook before this one puts anything else in its place.
      this.admitBody(request, reply, payload as Readable, done);
    });
    fastify.addHook('preHandler', (request, reply, done) => {
      const isLong = request.routeOptions.config.description?.isLong === true;
      if (!isLong) done();
      else this.of(request, reply).ask(pieceBytes, (isGranted) => done(noRoomUnless(isGranted)));
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      done(null, this.paced(request, reply, payload));
    });
  }

  /**
   * Answers with `pieces` as the client takes them; whole and with its length where the end comes
   * with the first of them that are more than a small answer, and compressed then where it is a
   * text that `isPackable`. What is thrown before that is the caller's; later the connection ends,
   * so that no client takes a part for the whole.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    pieces: AsyncIterator<Piece>,
    isPackable = false,
  ): Promise<FastifyReply> {
    const first = await this.first(reply.raw, pieces);
    if (!first.isLast) return reply.send(new PacedBody(this.of(request, reply), first, pieces));
    let { chunks, length } = first;
    if (isPackable) {
      const body = { chunks, length };
      ({ chunks, length } = await this.packer.pack(request, reply, body));
    }
    if (length <= sliceBytes) return reply.send(Buffer.concat(chunks, length));
    reply.header('content-length', length);
    return reply.send(new PacedBody(this.of(request, reply), { chunks, isLast: true }));
  }

  /** Pieces up to the first that makes an answer more than a small one, or up to the last. */
  async first(response: AnswerState, pieces: AsyncIterator<Piece>): Promise<FirstPieces> {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const next = await pieces.next();
      const isLast = next.done === true || next.value.isLast;
      for (const chunk of next.done === true ? [] : next.value.chunks) {
        chunks.push(chunk);
        length += chunk.length;
      }
      const isSmall = length <= smallAnswerBytes;
      if (isSmall) this.allowances.get(response)?.settle(0);
      if (isLast || !isSmall) return { chunks, length, isLast };
    }
  }

  private admitBody(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Readable,
    done: (error?: Error | null, payload?: Readable) => void,
  ): void {
    const { 'content-length': length, 'transfer-encoding': coding } = request.raw.headers;
    const bytes = Number(length ?? 0);
    const isRefused = bytes > request.routeOptions.bodyLimit;
    if (coding !== undefined)
      done(
        null,
        counted(payload, () => this.of(request, reply)),
      );
    else if (!(bytes > smallBodyBytes) || isRefused) done(null, payload);
    else {
      this.of(request, reply).ask(bytes, (isGranted) => {
        if (!isGranted) reply.header('connection', 'close');
        done(noRoomUnless(isGranted), payload);
      });
    }
  }

  /**
   * What a handler has put together goes out as it is taken, and counts until then. What one write
   * takes needs no stream: its allowance ends with the answer.
   */
  private paced(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isWhole || payload.length <= smallAnswerBytes) {
      if (isWhole) this.allowances.get(reply.raw)?.settle(0);
      return payload;
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const allowance = this.of(request, reply);
    if (bytes.length <= sliceBytes) {
      allowance.settle(bytes.length);
      allowance.awaitTaken();
      return bytes;
    }
    reply.header('content-length', bytes.length);
    return new PacedBody(allowance, { chunks: [bytes], isLast: true });
  }
}

function noRoomUnless(isGranted: boolean): NoRoom | undefined {
  return isGranted ? undefined : new NoRoom();
}

/** A body of unknown length: it asks for twice what has come, whenever that is used up. */
function counted(payload: Readable, allowance: () => Allowance): Readable {
  return Readable.from(countedChunks(payload, allowance), { objectMode: false });
}

async function* countedChunks(
  payload: Readable,
  allowance: () => Allowance,
): AsyncGenerator<Buffer> {
  let length = 0;
  let granted = smallBodyBytes;
  // Who is refused still gets an answer: ending here must not close the connection.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > granted) {
      await allowance().want(2 * length - (granted > smallBodyBytes ? granted : 0));
      granted = 2 * length;
    }
    yield chunk;
  }
}
