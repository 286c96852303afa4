/** Whether the process lives, and whether it takes work. */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { answerJson } from '../../http/routes/exchange.js';
import type { Route } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const methods = ['GET', 'HEAD'];

const status = z.object({
  state: z.string(),
  reason: z.string().nullable(),
  warnings: z
    .array(z.string())
    .describe('What an operator should see to, though it is served; absent where there is nothing')
    .optional(),
});

const live: RouteDescription = {
  summary: 'Whether the process lives',
  access: 'open',
  answers: { 200: { description: 'It does', schema: () => status } },
};
const ready: RouteDescription = {
  summary: 'Whether the process serves everything',
  access: 'open',
  answers: {
    200: { description: 'It does', schema: () => status },
    503: { description: 'It does not, and why', schema: () => status },
  },
};

/** Both answer `{"state", "reason"}`; `ready` with 503 unless everything is served. */
@Injectable()
export class HealthRoutes {
  readonly routes: readonly Route[] = [
    {
      methods,
      pattern: '/health/live',
      description: live,
      serve: (exchange) => answerJson(exchange, this.life.status),
    },
    {
      methods,
      pattern: '/health/ready',
      description: ready,
      serve: (exchange) => {
        const { status } = this.life;
        answerJson(exchange, status, status.state === 'serving' ? 200 : 503);
      },
    },
  ];

  constructor(private readonly life: ProcessLife) {}
}
