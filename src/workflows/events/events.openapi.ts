/** The OpenAPI descriptions of the routes of events (workflows.md 3.4 and 3.5). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { waitSchema } from './wait.request.js';
import { notifyItemSchema, waiterSchema } from './waiter-object.js';

const data = { isRequired: false };

/** The routes of `/v2/wait`, `/v2/notify`, `/v2/waiters` and of webhooks. */
export const eventRoutes = {
  wait: {
    summary: 'Make a run wait for an event; sent by the endpoint of the run',
    path: '/v2/wait/{eventId}',
    headers: () =>
      z.object({ 'Svc-Workflow-RunId': z.string().optional().describe('The run that waits') }),
    body: { isRequired: true, schema: () => waitSchema },
    answers: {
      200: {
        description: 'The run waits, or already has the event',
        schema: () => z.object({ messageId: z.string().exactOptional() }),
      },
    },
  },
  notify: {
    summary: 'Notify every run that waits for an event; the body is the data of the event',
    path: '/v2/notify/{eventId}',
    body: data,
    answers: {
      201: { description: 'The waits that ended', schema: () => z.array(notifyItemSchema) },
    },
  },
  notifyRun: {
    summary: 'Notify one run of an event, which is kept if the run does not wait for it yet',
    path: '/v2/notify/{workflowRunId}/{eventId}',
    body: data,
    answers: {
      201: {
        description: 'The waits of the run that ended; empty if the event is kept',
        schema: () => z.array(notifyItemSchema),
      },
    },
  },
  waiters: {
    summary: 'List the runs that wait for an event',
    asOf: true,
    isLong: true,
    path: '/v2/waiters/{eventId}',
    namesAnything: true,
    answers: {
      200: { description: 'The waits, oldest first', schema: () => z.array(waiterSchema) },
    },
  },
  webhook: {
    summary: 'Call a webhook that a run has created; needs no credentials',
    access: 'path',
    changes: true,
    path: '/v2/workflows/hooks/{userId}/{workflowRunId}/{eventId}',
    body: data,
    answers: { 200: { description: 'The call ends a wait, or is kept for the next one' } },
  },
} satisfies Record<string, RouteDescription>;
