/** Whether the process lives, and whether it takes work. */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const methods = ['GET', 'HEAD'];

const status = z.object({ state: z.string(), reason: z.string().nullable() });

const live: RouteDescription = {
  summary: 'Whether the process lives',
  access: 'open',
  answers: { 200: { description: 'It does', schema: status } },
};
const ready: RouteDescription = {
  summary: 'Whether the process serves everything',
  access: 'open',
  answers: {
    200: { description: 'It does', schema: status },
    503: { description: 'It does not, and why', schema: status },
  },
};

@Injectable()
export class HealthRoutes implements HotRoutes {
  constructor(private readonly life: ProcessLife) {}

  /** Both answer `{"state", "reason"}`; `ready` with 503 unless everything is served. */
  register(fastify: FastifyInstance): void {
    fastify.route({
      method: methods,
      url: '/health/live',
      config: { description: live },
      handler: (_request, reply) => reply.send(this.life.status),
    });
    fastify.route({
      method: methods,
      url: '/health/ready',
      config: { description: ready },
      handler: (_request, reply) => {
        const { status } = this.life;
        return reply.code(status.state === 'serving' ? 200 : 503).send(status);
      },
    });
  }
}
