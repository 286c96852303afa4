/**
 * Keeps the bytes of bodies and answers within the budget, for every route of Fastify: a body is
 * counted before it is read, and an answer that may be long before it is made. See ADR 0021.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoRoom } from '../no-room.js';
import type { AnswerState, RequestHead } from '../request-head.js';
import { Allowance, type AllowanceTerms } from './allowance.js';
import { type OwnerKind, ownerOf } from './owner.js';
import { PacedBody, type Piece, sliceBytes } from './paced-body.js';
import { AnswerPacker } from './packed-answer.js';

/** Bodies up to this size are not counted: the number of connections limits them. Bytes. */
export const smallBodyBytes = 16 * 1024;

/** Answers up to this size are not counted: the operating system takes as much at once. Bytes. */
export const smallAnswerBytes = 64 * 1024;

/** Answers up to about this size are sent with their length, longer ones in pieces of it. Bytes. */
export const pieceBytes = 1024 * 1024;

/**
 * Room to read a piece of an answer of unknown length: a record or a body is read whole and shown
 * as text. Bytes.
 */
export const readingBytes = 16 * 1024 * 1024;

/** The beginning of an answer in pieces, or the whole answer. */
export interface FirstPieces extends Piece {
  /** The length of all chunks, in bytes. */
  readonly length: number;
}

/** Room to read data that may be long. */
export interface ReadAllowance {
  /** Takes the room if it is available at once; returns whether it was. */
  takeNow(): boolean;
  /** Resolves when the room is taken; rejects with `NoRoom`. */
  wait(): Promise<void>;
}

/** Room for the pieces of one answer; `InFlight.first` releases what a piece did not need. */
export function roomIn(allowance: () => Allowance): ReadAllowance {
  return {
    takeNow: () => allowance().takeNow(readingBytes),
    wait: () => allowance().want(readingBytes),
  };
}

/**
 * One instance per server. Exchanges that did not arrive through Fastify get their `Allowance` from
 * it as well.
 */
export class InFlight {
  private readonly allowances = new WeakMap<AnswerState, Allowance>();
  private readonly packer = new AnswerPacker();

  constructor(private readonly terms: AllowanceTerms) {}

  /** The allowance of an exchange, which counts against an owner of the given kind. */
  allowanceOf(request: RequestHead, response: AnswerState, kind: OwnerKind): Allowance {
    const known = this.allowances.get(response);
    if (known !== undefined) return known;
    const allowance = new Allowance(this.terms, ownerOf(request, kind), response);
    this.allowances.set(response, allowance);
    return allowance;
  }

  /** The allowance of a request that Fastify received. */
  of(request: FastifyRequest, reply: FastifyReply): Allowance {
    const isChecked = request.routeOptions.config.description?.access === undefined;
    return this.allowanceOf(request.raw, reply.raw, isChecked ? 'credential' : 'address');
  }

  /** Room for a route that does not know yet how much it will hold. */
  roomFor(request: FastifyRequest, reply: FastifyReply): ReadAllowance {
    return roomIn(() => this.of(request, reply));
  }

  /** Adds the hooks; call it after the guard of the front door, whose refusals need no room. */
  guard(fastify: FastifyInstance): void {
    fastify.addHook('preParsing', (request, reply, payload, done) => {
      // No hook before this one replaces the payload, so it is still a stream.
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
   * Answers with `pieces` as the client takes them. If the last piece is among those that `first`
   * collects, the answer is sent whole, with its length, and compressed if it is text that
   * `isPackable`. An error before that is thrown to the caller; a later one ends the connection, so
   * that no client takes a part for the whole.
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

  /** Collects pieces until they exceed a small answer or end. */
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
   * Sends an assembled answer at the pace of the client, and counts it until it is sent. An answer
   * that fits one write needs no stream: its allowance ends with the answer.
   */
  private paced(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isWhole || payload.length <= smallAnswerBytes) {
      if (isWhole) this.allowances.get(reply.raw)?.settle(0);
      return payload;
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const allowance = this.of(request, reply);
    // Routes that are open to all send bytes that they keep, and all of their answers share.
    const isOpen = request.routeOptions.config.description?.access === 'open';
    const isCounted = !isOpen || typeof payload === 'string';
    if (bytes.length <= sliceBytes) {
      if (isCounted) allowance.settle(bytes.length);
      allowance.awaitTaken();
      return bytes;
    }
    reply.header('content-length', bytes.length);
    return new PacedBody(allowance, { chunks: [bytes], isLast: true }, null, isCounted);
  }
}

function noRoomUnless(isGranted: boolean): NoRoom | undefined {
  return isGranted ? undefined : new NoRoom();
}

/** Counts a body of unknown length: when its room is used up, asks for twice the bytes so far. */
function counted(payload: Readable, allowance: () => Allowance): Readable {
  return Readable.from(countedChunks(payload, allowance), { objectMode: false });
}

async function* countedChunks(
  payload: Readable,
  allowance: () => Allowance,
): AsyncGenerator<Buffer> {
  let length = 0;
  let granted = smallBodyBytes;
  // A refused client still gets an answer, so ending here must not close the connection.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > granted) {
      await allowance().want(2 * length - (granted > smallBodyBytes ? granted : 0));
      granted = 2 * length;
    }
    yield chunk;
  }
}
