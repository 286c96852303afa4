/** The OpenAPI descriptions of the routes of runs (workflows.md 4.4, 4.1 and 4.2). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds, several } from '../../messaging/messages/message-schema.js';
import type { CancelRunsFilters } from './cancel-runs.request.js';

const entry = once(() =>
  z.object({
    messageId: z.string(),
    body: z.string().describe('Base64 of a step, or of the payload first'),
    callType: z.literal('step'),
  }),
);

const cancelQuery = once(() =>
  z.object({
    workflowRunIds: several,
    workflowUrl: several,
    workflowUrlExactMatch: z
      .enum(['true', 'false'])
      .describe('Without it a URL may go on behind workflowUrl')
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
    summary: 'The entries of a workflow run that is active',
    asOf: true,
    shows: 'originals',
    answers: { 200: { description: 'The oldest first', schema: () => z.array(entry()) } },
  },
  end: {
    path,
    summary: 'Cancel a workflow run; or, with cancel=false, end it with what its function returned',
    query: () => z.object({ cancel: z.enum(['true', 'false']).optional() }),
    body: { isRequired: false },
    answers: { 200: { description: 'The run has ended' } },
  },
  cancelMany: {
    summary: 'Cancel every workflow run that the filters mean, all of them without a filter',
    query: cancelQuery,
    body: { isRequired: false, schema: cancelQuery },
    answers: {
      200: {
        description: 'How many were canceled',
        schema: () => z.object({ cancelled: z.int() }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
