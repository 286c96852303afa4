/** What Prometheus reads. */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const description: RouteDescription = {
  summary: 'Metrics for Prometheus',
  access: 'open',
  answers: { 200: { description: 'Their values now', contentType: 'text/plain' } },
};

@Injectable()
export class MetricsRoutes implements HotRoutes {
  constructor(private readonly registry: Registry) {}

  register(fastify: FastifyInstance): void {
    fastify.get('/metrics', { config: { description } }, async (_request, reply) => {
      const text = await this.registry.metrics();
      return reply.header('content-type', this.registry.contentType).send(text);
    });
  }
}
