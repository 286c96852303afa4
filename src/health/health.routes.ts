/** Whether the process lives, and whether it takes work. */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { HotRoutes } from '../http/hot-routes.js';
import { ProcessLife } from '../lifecycle/process-life.js';

const methods = ['GET', 'HEAD'];

@Injectable()
export class HealthRoutes implements HotRoutes {
  constructor(private readonly life: ProcessLife) {}

  /** Both answer `{"state", "reason"}`; `ready` with 503 unless everything is served. */
  register(fastify: FastifyInstance): void {
    fastify.route({
      method: methods,
      url: '/health/live',
      handler: (_request, reply) => reply.send(this.life.status),
    });
    fastify.route({
      method: methods,
      url: '/health/ready',
      handler: (_request, reply) => {
        const { status } = this.life;
        return reply.code(status.state === 'serving' ? 200 : 503).send(status);
      },
    });
  }
}
