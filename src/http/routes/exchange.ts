/** A request and the one answer that it waits for. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../engine/principal/principal.js';
import type { Refusal } from '../../grammar/result.js';

/** A request that was read whole and waits for its one answer, by express lane or by Fastify. */
export interface Exchange {
  /** Who makes it. */
  readonly caller: Caller;
  /** Its head; its body has been consumed. */
  readonly request: IncomingMessage;
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

const jsonHeaders = ['content-type', 'application/json; charset=utf-8'];

/** Answers with a value as JSON. */
export function answerJson(exchange: Exchange, value: unknown, status = 200): void {
  exchange.answer(status, jsonHeaders, JSON.stringify(value));
}
