/** Describes the routes of queues (messaging.md 5). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const queue = once(() =>
  z
    .object({
      name: z.string(),
      createdAt: z.int().describe('Unix milliseconds'),
      updatedAt: z.int().describe('Unix milliseconds'),
      parallelism: z.int(),
      paused: z.boolean(),
      lag: z.int().describe('Messages that are not yet delivered, failed or canceled'),
    })
    .meta({ id: 'Queue' }),
);

const done = { 200: { description: 'Done' } };

/** The routes of `/v2/queues`, except those of `waiting`. */
export const queueRoutes = {
  upsert: {
    summary: 'Create or change a queue',
    body: {
      isRequired: true,
      example: { queueName: 'mails', parallelism: 2 },
      schema: () =>
        z.object({
          queueName: z.string(),
          parallelism: z.int().min(1).optional(),
          paused: z.boolean().optional(),
        }),
    },
    answers: done,
  },
  list: {
    summary: 'List all queues',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'The queues, sorted by name', schema: () => z.array(queue()) } },
  },
  show: {
    summary: 'Get a queue',
    asOf: true,
    answers: { 200: { description: 'The queue', schema: queue } },
  },
  remove: { summary: 'Delete a queue and drop its pending messages', answers: done },
  pause: {
    summary: 'Pause a queue: nothing in it is delivered until it is resumed',
    answers: done,
  },
  resume: { summary: 'Resume a paused queue', answers: done },
} satisfies Record<string, RouteDescription>;
