/** `/sink`: a destination for first experiments, so that they need no other program (ADR 56). */
import { Injectable } from '@nestjs/common';
import { Refusal } from '../../grammar/result.js';
import { answerJson } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import { Sink } from './sink.js';
import { sinkRoutes } from './sink.openapi.js';

/** The methods that messages can be sent with. */
const methods: FastifyRoute['methods'] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** These routes need no credential while the server serves; only a development server has them. */
@Injectable()
export class SinkRoutes {
  readonly routes: readonly FastifyRoute[];

  constructor(private readonly sink: Sink) {
    this.routes = [
      {
        methods,
        pattern: '/sink',
        description: sinkRoutes.take,
        serve: (exchange) => this.take(exchange, 200),
      },
      {
        methods,
        pattern: '/sink/:status',
        description: sinkRoutes.takeWith,
        serve: (exchange) => this.takeAs(exchange),
      },
    ];
  }

  private takeAs(exchange: FastifyExchange): void {
    const [, status] = /^\/sink\/([2-5]\d\d)(?:\?|$)/.exec(exchange.target) ?? [];
    if (status === undefined) {
      exchange.refuse(new Refusal('not_found', 'a sink is /sink, or /sink/200 to /sink/599'));
    } else this.take(exchange, Number(status));
  }

  private take(exchange: FastifyExchange, status: number): void {
    const { request, target, body } = exchange;
    const number = this.sink.take(request, target, body, status);
    // Answers with these statuses have no body.
    if (status === 204 || status === 304) exchange.answer(status, []);
    else answerJson(exchange, { number }, status);
  }
}
