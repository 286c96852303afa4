/**
 * The OpenAPI descriptions of the streams of runs, their tokens and their waits (workflows.md 4.6).
 */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds } from '../../messaging/messages/message-schema.js';
import { runTokenSchema } from './run-streams.request.js';

const waiter = once(() =>
  z.object({
    eventId: z.string(),
    stepId: z.int(),
    stepName: z.string(),
    deadline: milliseconds,
  }),
);

/** One wait of `GET /v2/workflows/runs/{id}/waiters`; `deadline` in Unix milliseconds. */
export type RunWaiterObject = z.output<ReturnType<typeof waiter>>;

const token = once(() =>
  z.object({
    token: z.string().describe('For Authorization: Bearer, or the query parameter token'),
    expiresAt: milliseconds,
    path: z.string().describe('Path of the stream, the only one that accepts the token'),
  }),
);

/** The answer of `POST /v2/workflows/runs/{id}/token`. */
export type RunTokenObject = z.output<ReturnType<typeof token>>;

/** The routes of the stream, the token and the waiters of one run (workflows.md 4.6). */
export const runStreamRoutes = {
  stream: {
    path: '/v2/workflows/runs/{workflowRunId}/stream',
    summary: 'Stream what happens to a run, from its beginning to its end',
    query: () =>
      z.object({
        trimBody: z
          .int()
          .min(-1)
          .max(1_048_576)
          .describe('Bytes to keep of each body; -1 = no bodies; default 65536')
          .optional(),
      }),
    headers: () =>
      z.object({
        'Last-Event-ID': z.string().describe('The stream continues after this event').optional(),
      }),
    answers: {
      200: {
        description:
          'Server-sent events {offset, rows}, with rows as in messageLogs; `end` when the run ends',
        contentType: 'text/event-stream',
      },
      204: { description: 'The run has ended and was sent completely: do not reconnect' },
    },
  },
  token: {
    path: '/v2/workflows/runs/{workflowRunId}/token',
    summary: 'Create a token for a browser that permits only reading the stream of this run',
    changes: false,
    body: { isRequired: false, schema: () => runTokenSchema },
    answers: { 201: { description: 'The token; it is signed and not stored', schema: token } },
  },
  waiters: {
    path: '/v2/workflows/runs/{workflowRunId}/waiters',
    summary: 'List the events that a run waits for',
    answers: { 200: { description: 'The waits, at most 1,000', schema: () => z.array(waiter()) } },
  },
} satisfies Record<string, RouteDescription>;
