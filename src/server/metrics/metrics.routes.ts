/** The route that Prometheus scrapes. */
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

/**
 * Needs no credential: labels name no client, no destination and no credential. Requests that
 * arrive while an answer is being made share it: it costs more than most, and any client may ask.
 */
@Injectable()
export class MetricsRoute implements FastifyRoute {
  readonly methods = ['GET', 'HEAD'];
  readonly pattern = '/metrics';
  readonly description: RouteDescription = {
    summary: 'Metrics for Prometheus',
    access: 'open',
    answers: { 200: { description: 'The current values', contentType: 'text/plain' } },
  };

  private underWay: Promise<string> | null = null;

  constructor(private readonly registry: Registry) {}

  async serve(exchange: Exchange): Promise<void> {
    this.underWay ??= this.registry.metrics().finally(() => {
      this.underWay = null;
    });
    const text = await this.underWay;
    exchange.answer(200, ['content-type', this.registry.contentType], text);
  }
}
