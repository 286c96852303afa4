/** `/v2/workflows/runs/{id}/stream`: the events of a run as they happen (workflows.md 4.6). */
import { Injectable } from '@nestjs/common';
import { Refusal } from '../../grammar/result.js';
import { lastOffsetOf } from '../../http/bytes/event-stream.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import { RunStreams } from './run-streams.js';
import { runStreamRoutes } from './run-streams.openapi.js';
import { parseStreamQuery } from './run-streams.request.js';
import { publicPrincipal } from './run-tokens.js';

/** Hijacks the exchange, because the stream outlives Fastify's handling of the request. */
@Injectable()
export class RunStreamRoute implements FastifyRoute {
  readonly methods = ['GET'];
  readonly pattern = '/v2/workflows/runs/:id/stream';
  readonly description = runStreamRoutes.stream;

  constructor(private readonly streams: RunStreams) {}

  async serve(exchange: FastifyExchange): Promise<void> {
    const rows = parseStreamQuery(exchange.target);
    if (!rows.ok) return exchange.refuse(rows);
    const last = lastOffsetOf(exchange.request);
    if (!last.ok) return exchange.refuse(last);
    const stream = await this.streams.follow({
      runId: exchange.param('id'),
      last: last.value,
      rows: rows.value,
      isPublic: exchange.caller.name === publicPrincipal,
    });
    if (stream instanceof Refusal) return exchange.refuse(stream);
    if (stream === null) return exchange.answer(204, []);
    const allowance = exchange.hijack();
    await stream({ response: exchange.response, allowance });
  }
}
