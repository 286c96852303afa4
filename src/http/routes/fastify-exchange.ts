/** An exchange of an express route that Fastify took in, because it was not an ordinary one. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, sendRefusal } from '../error-shapes.js';
import type { Exchange } from './exchange.js';
import { rawBody } from './raw-body.js';

export class FastifyExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly body: Buffer;

  constructor(
    private readonly incoming: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.request = incoming.raw;
    this.body = rawBody(incoming);
  }

  answer(status: number, headers: readonly string[], body: string | Buffer): void {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      this.reply.header(headers[index] ?? '', headers[index + 1]);
    }
    this.reply.code(status).send(body);
  }

  refuse(refusal: Refusal): void {
    sendRefusal(this.incoming, this.reply, refusal);
  }

  fail(error: unknown): void {
    this.reply.send(error);
  }
}
