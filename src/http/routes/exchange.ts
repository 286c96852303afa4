/** A request and the one answer that it waits for. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../engine/principal/principal.js';
import type { Refusal } from '../../grammar/result.js';
import type { ReadAllowance } from '../bytes/in-flight.js';
import type { Piece } from '../bytes/paced-body.js';
import type { RequestHead } from '../request-head.js';

/** A request that was read whole and waits for its one answer, by express lane or by Fastify. */
export interface Exchange {
  /** Who makes it. */
  readonly caller: Caller;
  /** Its head; its body has been consumed. */
  readonly request: RequestHead;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** None is an empty buffer. */
  readonly body: Buffer;
  /** `headers` are names in lower case and values, in turn; an answer may have no body at all. */
  answer(status: number, headers: readonly string[], body?: string | Buffer): void;
  /** An expected refusal, in the shape of the route's interface. */
  refuse(refusal: Refusal): void;
  /** A thrown error: logged, answered as the error filter says. */
  fail(error: unknown): void;
}

/** An exchange whose answer may come late, and may be long: it is made as the client takes it. */
export interface LongExchange extends Exchange {
  /** It closes when the answer has gone out, or the client has. */
  readonly response: ServerResponse;
  /** Room to read the pieces of an answer. */
  readonly room: ReadAllowance;
  /** Adds a header to an answer in pieces whose head has not gone out. */
  header(name: string, value: string): void;
  /** Adds a trailer to an answer in pieces; `value` is called behind the last of them. */
  trailer(name: string, value: () => string): void;
  /**
   * Answers 200 with what may be long. Rejects with what `pieces` throws before the head has gone
   * out; later the connection ends, so that no client takes a part for the whole.
   */
  answerInPieces(pieces: AsyncIterator<Piece>): Promise<void>;
  /** Answers nothing: the client has gone. */
  abandon(): void;
}

const jsonHeaders = ['content-type', 'application/json; charset=utf-8'];

/** Answers with a value as JSON. */
export function answerJson(exchange: Exchange, value: unknown, status = 200): void {
  exchange.answer(status, jsonHeaders, JSON.stringify(value));
}
