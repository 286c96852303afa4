/**
 * A run's entries, and its end (workflows.md 4.4 and 4.1). An id may contain any characters.
 *
 *     GET    /v2/workflows/runs/{id}
 *     DELETE /v2/workflows/runs/{id}   express lane, because endpoints end their runs by it
 */
import { Inject, Injectable } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { pathTail } from '../../grammar/path-tail.js';
import { Refusal } from '../../grammar/result.js';
import { TextPieces } from '../../http/bytes/listing.js';
import { type DurabilitySettings, durabilityOf } from '../../http/durability.js';
import { oneOf, readFilters } from '../../http/query-filters.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import { ActiveRuns } from './active-runs.js';
import { runRoutes } from './runs.openapi.js';

const pattern = '/v2/workflows/runs/*';
const segments = 3;

const endFilters = { cancel: oneOf('true', 'false') } as const;

/**
 * 404 for a run that has ended or never started, except for `cancel=false`, which may be repeated
 * for every run.
 */
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
      isExpress: true,
      serve: (exchange) => this.end(exchange),
    },
  ];
  private readonly endHeaders: readonly string[];

  constructor(
    private readonly runs: ActiveRuns,
    @Inject(provided.config) config: DurabilitySettings,
  ) {
    this.endHeaders = ['stepwell-durability', durabilityOf(config)];
  }

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

  private end(exchange: Exchange): void {
    const filters = readFilters(exchange.target, endFilters);
    if (!filters.ok) {
      exchange.refuse(filters);
      return;
    }
    const { body, caller } = exchange;
    const id = runIn(exchange);
    const ended =
      filters.value.cancel === 'false'
        ? this.runs.end(id, body, caller)
        : this.runs.cancel(id, caller);
    ended.then(
      (outcome) => {
        if (outcome.ok) exchange.answer(200, this.endHeaders);
        else exchange.refuse(outcome);
      },
      (error: unknown) => exchange.fail(error),
    );
  }
}

function runIn({ target }: Exchange): string {
  return pathTail(target, segments);
}
