/** A request and its single answer. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../engine/principal/principal.js';
import type { Refusal } from '../../grammar/result.js';
import type { ReadAllowance } from '../bytes/in-flight.js';
import type { Piece } from '../bytes/paced-body.js';
import type { RequestHead } from '../request-head.js';

/**
 * A request that was read completely and waits for its single answer, from the express lane or from
 * Fastify.
 */
export interface Exchange {
  /** Who makes the request. */
  readonly caller: Caller;
  /** The head of the request; its body has been consumed. */
  readonly request: RequestHead;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Empty if there is no body. */
  readonly body: Buffer;
  /** Answers. `headers` are lower-case names and values in turn; an answer may have no body. */
  answer(status: number, headers: readonly string[], body?: string | Buffer): void;
  /** Answers with an expected refusal, in the form of the interface of the route. */
  refuse(refusal: Refusal): void;
  /** Answers a thrown error: it is logged, and answered as by the error filter. */
  fail(error: unknown): void;
}

/** An exchange whose answer may come late and may be long: it is made as the client takes it. */
export interface LongExchange extends Exchange {
  /** Closes when the answer was sent or the client has gone. */
  readonly response: ServerResponse;
  /** Room to read the pieces of an answer. */
  readonly room: ReadAllowance;
  /** Adds a header to an answer in pieces; must be called before its head is sent. */
  header(name: string, value: string): void;
  /** Adds a trailer to an answer in pieces; `value` is called after the last piece. */
  trailer(name: string, value: () => string): void;
  /**
   * Answers 200 with `pieces`, which may be long. Rejects with an error that `pieces` throws before
   * the head is sent; later errors end the connection, so that no client takes a part for the
   * whole.
   */
  answerInPieces(pieces: AsyncIterator<Piece>): Promise<void>;
  /** Gives up without an answer, because the client has gone. */
  abandon(): void;
}

const jsonHeaders = ['content-type', 'application/json; charset=utf-8'];

/** Answers with a value as JSON. */
export function answerJson(exchange: Exchange, value: unknown, status = 200): void {
  exchange.answer(status, jsonHeaders, JSON.stringify(value));
}
