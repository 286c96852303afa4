/** What Prometheus reads. */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { Metrics } from './metrics.js';

const description: RouteDescription = {
  summary: 'Metrics for Prometheus',
  answers: { 200: { description: 'Their values now', contentType: 'text/plain' } },
};

@Injectable()
export class MetricsRoutes implements HotRoutes {
  constructor(private readonly metrics: Metrics) {}

  register(fastify: FastifyInstance): void {
    fastify.get('/metrics', { config: { description } }, async (_request, reply) => {
      const text = await this.metrics.text();
      return reply.header('content-type', this.metrics.contentType).send(text);
    });
  }
}
