/** A request and the one answer that it waits for. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../error-shapes.js';

/** A request that was read whole and waits for its one answer, by express lane or by Fastify. */
export interface Exchange {
  /** Its head; its body has been consumed. */
  readonly request: IncomingMessage;
  /** None is an empty buffer. */
  readonly body: Buffer;
  /** `headers` are names in lower case and values, in turn. */
  answer(status: number, headers: readonly string[], body: string | Buffer): void;
  /** An expected refusal, in the shape of the route's interface. */
  refuse(refusal: Refusal): void;
  /** A thrown error: logged, answered as the error filter says. */
  fail(error: unknown): void;
}
