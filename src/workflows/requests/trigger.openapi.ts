/** The OpenAPI descriptions of the trigger routes (workflows.md 1.3). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds } from '../../messaging/messages/message-schema.js';

const text = (means: string) => z.string().optional().describe(means);

const triggerOptions = once(() =>
  z.object({
    'Svc-Workflow-RunId': text('The id of the run; default: a new id'),
    'Svc-Workflow-Unknown-Sdk': text(
      'true: the SDK of the endpoint takes over the run and configures it',
    ),
    'Svc-Forward-<name>': text('A header of every delivery, which the endpoint receives as <name>'),
    'Svc-Header-Forward': text('true: forwards all other headers of this request, too'),
    'Svc-Retries': text('Maximum number of attempts of each step after the first one; default 3'),
    'Svc-Retry-Delay': text(
      'Expression for the milliseconds before the next attempt; may use `retried`: 1000 * retried',
    ),
    'Svc-Timeout': text('Timeout of each attempt: 30, 2.5s, 1m30s'),
    'Svc-Delay': text('Delay before the first delivery: 90, 30s, 1d10h30m'),
    'Svc-Not-Before': text('Earliest time of the first delivery, Unix seconds; overrides a delay'),
    'Svc-Flow-Control-Key': text('Flow-control key whose limits apply to the steps'),
    'Svc-Flow-Control-Value': text('parallelism=2, rate=3, period=1m'),
    'Svc-Label': text('Labels to find the run by, comma separated'),
    'Svc-Redact-Fields': text('What to redact: body, headers, header[<name>]'),
    'Svc-Failure-Callback': text('A URL to call if the run fails'),
    'Svc-Failure-Callback-<option>': text('An option of the failure callback'),
  }),
);

const started = once(() =>
  z.object({
    workflowRunId: z.string(),
    workflowCreatedAt: milliseconds,
    deduplicated: z
      .literal(true)
      .describe('A run with this id is known; nothing was started')
      .optional(),
  }),
);

const trigger = once(() =>
  z.object({
    destination: z.string().describe('The URL of the workflow'),
    headers: z.record(z.string(), z.string()).optional().describe('Option headers of the trigger'),
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
        description: 'The answer to each item, in the order of the request',
        schema: () => z.array(z.union([started(), z.object({ error: z.string() })])),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
