/** An exchange that arrived through the router of Fastify, which has decoded its parameters. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import type { Refusal } from '../../grammar/result.js';
import type { Allowance } from '../bytes/allowance.js';
import { varyBy } from '../bytes/conditional.js';
import type { InFlight, ReadAllowance } from '../bytes/in-flight.js';
import type { Piece } from '../bytes/paced-body.js';
import { sendRefusal } from '../error-shapes.js';
import { callerOf, requestIdHeader } from '../identity/callers.js';
import type { LongExchange } from './exchange.js';
import { rawBody } from './raw-body.js';

/** What the router finds in a request target. */
export interface Target {
  readonly Params: Readonly<Record<string, string>>;
  readonly Querystring: Readonly<Record<string, unknown>>;
}

/**
 * Created by the route table for each request. A route must answer, refuse, fail, hijack or abandon
 * it exactly once.
 */
export class FastifyExchange implements LongExchange {
  readonly request: IncomingMessage;
  readonly target: string;
  readonly body: Buffer;
  readonly response: ServerResponse;

  constructor(
    private readonly incoming: FastifyRequest<Target>,
    private readonly reply: FastifyReply,
    private readonly inFlight: InFlight,
  ) {
    this.request = incoming.raw;
    this.target = incoming.url;
    this.body = rawBody(incoming);
    this.response = reply.raw;
  }

  get caller(): Caller {
    return callerOf(this.request);
  }

  /** Decoded values by name; a name that is given twice has a list. */
  get query(): Target['Querystring'] {
    return this.incoming.query;
  }

  /** The decoded text of the target at `:name` of the pattern. */
  param(name: string): string {
    const value = this.incoming.params[name];
    if (value === undefined) throw new Error(`the pattern has no :${name}`);
    return value;
  }

  header(name: string, value: string): void {
    // What the answer varies by already is set in front of all routes.
    if (name === 'vary') varyBy(this.reply, value);
    else this.reply.header(name, value);
  }

  trailer(name: string, value: () => string): void {
    this.reply.trailer(name, (_reply, _payload, done) => done(null, value()));
  }

  answer(status: number, headers: readonly string[], body?: string | Buffer): void {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      this.header(headers[index] ?? '', headers[index + 1] ?? '');
    }
    this.reply.code(status).send(body);
  }

  get room(): ReadAllowance {
    return this.inFlight.roomFor(this.incoming, this.reply);
  }

  async answerInPieces(pieces: AsyncIterator<Piece>): Promise<void> {
    await this.inFlight.answer(this.incoming, this.reply, pieces);
  }

  /**
   * Leaves the answer to the route, which writes it to `response`, unless the client has gone.
   * Memory that the route holds for it counts against the allowance.
   */
  hijack(): Allowance {
    this.reply.hijack();
    this.response.setHeader(requestIdHeader, this.caller.requestId);
    return this.inFlight.of(this.incoming, this.reply);
  }

  abandon(): void {
    this.reply.hijack();
  }

  refuse(refusal: Refusal): void {
    sendRefusal(this.incoming, this.reply, refusal);
  }

  fail(error: unknown): void {
    this.reply.send(error);
  }
}
