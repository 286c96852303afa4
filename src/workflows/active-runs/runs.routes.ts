/**
 * `/v2/workflows/runs/{id}`: a run's entries, and its end (workflows.md 4.4 and 4.1). An id may
 * hold any characters.
 */
import { Injectable } from '@nestjs/common';
import { pathTail } from '../../grammar/path-tail.js';
import { Refusal } from '../../grammar/result.js';
import { TextPieces } from '../../http/bytes/listing.js';
import { valueIn } from '../../http/outcome.js';
import { oneOf, readFilters } from '../../http/query-filters.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import { ActiveRuns } from './active-runs.js';
import { runRoutes } from './runs.openapi.js';

const pattern = '/v2/workflows/runs/*';
const segments = 3;

const endFilters = { cancel: oneOf('true', 'false') } as const;

@Injectable()
export class RunRoutes {
  readonly routes: readonly Route[] = [
    {
      methods: ['GET'],
      pattern,
      description: runRoutes.show,
      serve: (exchange) => this.show(exchange),
    },
    {
      methods: ['DELETE'],
      pattern,
      description: runRoutes.end,
      serve: (exchange) => this.end(exchange),
    },
  ];

  constructor(private readonly runs: ActiveRuns) {}

  private async show(exchange: FastifyExchange): Promise<void> {
    const id = runIn(exchange);
    const entries = await this.runs.entriesOf(id);
    if (entries === undefined) {
      exchange.refuse(new Refusal('not_found', `workflow run ${id} not found`));
      return;
    }
    exchange.header('content-type', 'application/json; charset=utf-8');
    await exchange.answerInPieces(new TextPieces(entries, exchange.room));
  }

  private async end(exchange: Exchange): Promise<void> {
    const filters = valueIn(readFilters(exchange.target, endFilters));
    const id = runIn(exchange);
    const outcome =
      filters.cancel === 'false'
        ? await this.runs.end(id, exchange.body, exchange.caller)
        : await this.runs.cancel(id, exchange.caller);
    if (outcome.ok) exchange.answer(200, []);
    else exchange.refuse(outcome);
  }
}

function runIn({ target }: Exchange): string {
  return pathTail(target, segments);
}
