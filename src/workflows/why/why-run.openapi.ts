/** The OpenAPI description of the answer to why a run waits (workflows.md 4.5). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { whySchema } from '../../messaging/why/why.openapi.js';
import { runStateNames } from '../run-state/run-state-name.policy.js';
import { runReasons } from './why-run.policy.js';

const why = once(() => whySchema(runReasons));

/** The route `GET /v2/workflows/runs/{id}/why`. */
export const whyRunRoute = {
  path: '/v2/workflows/runs/{workflowRunId}/why',
  summary: 'Explain why a workflow run waits, or how it ended',
  answers: {
    200: {
      description: 'The most urgent reason, and the reason of each open step, at most 100',
      schema: () =>
        why().extend({
          workflowRunId: z.string(),
          state: z.enum(runStateNames),
          waits: z.array(
            why().extend({
              stepName: z.string(),
              messageId: z.string().exactOptional(),
              workflowRunId: z.string().describe('Id of a child run').exactOptional(),
              eventId: z.string().exactOptional(),
            }),
          ),
        }),
    },
  },
} satisfies RouteDescription;
