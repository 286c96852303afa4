/** The route that Prometheus scrapes. */
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** Needs no credential: labels never name a client, a destination or a credential. */
@Injectable()
export class MetricsRoute implements FastifyRoute {
  readonly methods = ['GET'];
  readonly pattern = '/metrics';
  readonly description: RouteDescription = {
    summary: 'Metrics for Prometheus',
    access: 'open',
    answers: { 200: { description: 'Their values now', contentType: 'text/plain' } },
  };

  constructor(private readonly registry: Registry) {}

  async serve(exchange: Exchange): Promise<void> {
    const text = await this.registry.metrics();
    exchange.answer(200, ['content-type', this.registry.contentType], text);
  }
}
