/** What Prometheus reads. */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { HotRoutes } from '../http/hot-routes.js';
import { Metrics } from './metrics.js';

@Injectable()
export class MetricsRoutes implements HotRoutes {
  constructor(private readonly metrics: Metrics) {}

  register(fastify: FastifyInstance): void {
    fastify.get('/metrics', async (_request, reply) => {
      const text = await this.metrics.text();
      return reply.header('content-type', this.metrics.contentType).send(text);
    });
  }
}
