/** The OpenAPI descriptions of the trigger routes (workflows.md 1.3). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds } from '../../messaging/messages/message-schema.js';

const text = (means: string) => z.string().optional().describe(means);

const triggerOptions = once(() =>
  z.object({
    'Svc-Workflow-RunId': text('The id of the run; a new one where it is not given'),
    'Svc-Workflow-Unknown-Sdk': text(
      'true: the endpoint takes the run over and says how it is called',
    ),
    'Svc-Forward-<name>': text(
      'A header of every delivery to the endpoint, which has it as <name>',
    ),
    'Svc-Header-Forward': text('true: every other header of this request goes along'),
    'Svc-Retries': text('Attempts of each step after the first; 3 where it is not given'),
    'Svc-Retry-Delay': text('Milliseconds before the next attempt, of `retried`: 1000 * retried'),
    'Svc-Timeout': text('The longest an attempt may take: 30, 2.5s, 1m30s'),
    'Svc-Delay': text('From now to the first delivery: 90, 30s, 1d10h30m'),
    'Svc-Not-Before': text('The first delivery, in Unix seconds; wins over a delay'),
    'Svc-Flow-Control-Key': text('Whose limits the steps share'),
    'Svc-Flow-Control-Value': text('parallelism=2, rate=3, period=1m'),
    'Svc-Label': text('Labels to find the run by, with commas between them'),
    'Svc-Redact-Fields': text('What is not shown: body, headers, header[<name>]'),
    'Svc-Failure-Callback': text('A URL to call when the run has failed'),
    'Svc-Failure-Callback-<option>': text('An option of the failure callback'),
  }),
);

const started = once(() =>
  z.object({
    workflowRunId: z.string(),
    workflowCreatedAt: milliseconds,
    deduplicated: z.literal(true).describe('The run was known: nothing was started').optional(),
  }),
);

const trigger = once(() =>
  z.object({
    destination: z.string().describe('The URL of the workflow'),
    headers: z.record(z.string(), z.string()).optional().describe('Options of the trigger'),
    body: z.string().nullish().describe('The payload'),
  }),
);

/** The routes of `/v2/trigger` and of batches of triggers. */
export const triggerRoutes = {
  trigger: {
    summary: 'Start a workflow run',
    path: '/v2/trigger/{destination}',
    headers: triggerOptions,
    body: { isRequired: false },
    answers: { 200: { description: 'The run', schema: started } },
  },
  batchTrigger: {
    summary: 'Start many workflow runs',
    body: { isRequired: true, schema: () => z.array(trigger()) },
    answers: {
      201: {
        description: 'What each item is answered, in its place',
        schema: () => z.array(z.union([started(), z.object({ error: z.string() })])),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
