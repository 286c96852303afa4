/** The OpenAPI descriptions of the routes of runs (workflows.md 4.4, 4.1 and 4.2). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds, several } from '../../messaging/messages/message-schema.js';
import type { CancelRunsFilters } from './cancel-runs.request.js';

const entry = once(() =>
  z.object({
    messageId: z.string(),
    body: z.string().describe('Base64: the payload in the first entry, a step in all others'),
    callType: z.literal('step'),
  }),
);

const cancelQuery = once(() =>
  z.object({
    workflowRunIds: several,
    workflowUrl: several,
    workflowUrlExactMatch: z
      .enum(['true', 'false'])
      .describe('true: the URL must equal workflowUrl; otherwise it may also start with it')
      .optional(),
    label: several,
    flowControlKey: several,
    callerIp: several,
    host: several,
    path: several,
    fromDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
    toDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
    count: z.int().min(1).max(500).optional(),
  } satisfies Record<keyof CancelRunsFilters, z.ZodType>),
);

const path = '/v2/workflows/runs/{workflowRunId}';

/** The routes of `/v2/workflows/runs`, except streams, tokens, waiters and `why`. */
export const runRoutes = {
  show: {
    path,
    summary: 'Get the entries of an active workflow run',
    asOf: true,
    shows: 'originals',
    answers: { 200: { description: 'The entries, oldest first', schema: () => z.array(entry()) } },
  },
  end: {
    path,
    summary: 'Cancel a workflow run or, with cancel=false, end it with the result of its function',
    query: () => z.object({ cancel: z.enum(['true', 'false']).optional() }),
    body: { isRequired: false },
    answers: { 200: { description: 'The run has ended' } },
  },
  cancelMany: {
    summary:
      'Cancel every workflow run that matches the filters, or all runs if there is no filter',
    query: cancelQuery,
    body: { isRequired: false, schema: cancelQuery },
    answers: {
      200: {
        description: 'How many runs were canceled',
        schema: () => z.object({ cancelled: z.int() }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
