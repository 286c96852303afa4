/** The OpenAPI descriptions of the routes of events (workflows.md 3.4 and 3.5). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { waitSchema } from './wait.request.js';
import { notifyItemSchema, waiterSchema } from './waiter-object.js';

const data = { isRequired: false };

/** The routes of `/v2/wait`, `/v2/notify`, `/v2/waiters` and of webhooks. */
export const eventRoutes = {
  wait: {
    summary: "Have a run wait for an event; a request of the run's endpoint",
    path: '/v2/wait/{eventId}',
    headers: () => z.object({ 'Svc-Workflow-RunId': z.string().optional().describe('Who waits') }),
    body: { isRequired: true, schema: () => waitSchema },
    answers: {
      200: {
        description: 'It waits, or has the event already',
        schema: () => z.object({ messageId: z.string().exactOptional() }),
      },
    },
  },
  notify: {
    summary: 'Notify every run that waits for an event; the body is its data',
    path: '/v2/notify/{eventId}',
    body: data,
    answers: {
      201: { description: 'Those that waited', schema: () => z.array(notifyItemSchema) },
    },
  },
  notifyRun: {
    summary: 'Notify one run of an event, which is kept for it where it does not wait yet',
    path: '/v2/notify/{workflowRunId}/{eventId}',
    body: data,
    answers: {
      201: {
        description: 'Its waits that ended; none where the event is kept',
        schema: () => z.array(notifyItemSchema),
      },
    },
  },
  waiters: {
    summary: 'The runs that wait for an event',
    asOf: true,
    isLong: true,
    path: '/v2/waiters/{eventId}',
    answers: { 200: { description: 'The oldest first', schema: () => z.array(waiterSchema) } },
  },
  webhook: {
    summary: 'Call a webhook that a run has announced; needs no credentials',
    access: 'path',
    changes: true,
    path: '/v2/workflows/hooks/{userId}/{workflowRunId}/{eventId}',
    body: data,
    answers: { 200: { description: 'It ends a wait for a call, or is kept for the next one' } },
  },
} satisfies Record<string, RouteDescription>;
