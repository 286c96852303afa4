/** Describes the routes that publish (messaging.md 2.1, 2.2, 2.3, 7 and 3). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const text = (means: string) => z.string().optional().describe(means);

/** Options that callbacks have too, as `Svc-Callback-<option>`. */
const deliveryOptions = once(() => ({
  'Svc-Method': z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('The HTTP method for the destination; default POST'),
  'Svc-Timeout': text('Timeout of each attempt: 30, 2.5s, 1m30s'),
  'Svc-Retries': text('Maximum number of attempts after the first one'),
  'Svc-Retry-Delay': text(
    'Expression for the milliseconds before the next attempt; may use `retried`: 1000 * retried',
  ),
  'Svc-Delay': text('Delay before the first attempt: 90, 30s, 1d10h30m'),
  'Svc-Flow-Control-Key': text('Flow-control key whose limits apply to the message'),
  'Svc-Flow-Control-Value': text('parallelism=2, rate=3, period=1m'),
  'Svc-Label': text('Labels to find the message by, comma separated'),
  'Svc-Redact-Fields': text('What to redact: body, headers, header[<name>]'),
}));

const messageOptions = once(() => ({
  ...deliveryOptions(),
  'Svc-Forward-<name>': text('A header that the destination receives as <name>'),
  'Svc-Header-Forward': text('true: forwards all other headers of this request, too'),
  'Svc-Callback': text('A URL to call after each attempt, with options of its own'),
  'Svc-Callback-<option>': text('An option of the callback'),
  'Svc-Failure-Callback': text('A URL to call when the last attempt has failed'),
  'Svc-Failure-Callback-<option>': text('An option of the failure callback'),
  'Svc-Deduplication-Id': text(
    'Publishes with the same id within ten minutes are duplicates of this message',
  ),
  'Svc-Content-Based-Deduplication': text(
    'true: publishes of the same content within ten minutes are duplicates of this message',
  ),
}));

/** Options that SDKs send for workflow runs. A publish that carries them is a command for a run. */
const runOptions = once(() => ({
  'Svc-Workflow-RunId': text('The workflow run that the message starts or adds a step to'),
  'Svc-Workflow-Init': text('true: the message starts a run, with the body as its payload'),
  'Svc-Workflow-Url': text('The endpoint of the run'),
  'Svc-Workflow-CallType': text(
    'toCallback: the message calls a third party; step: it calls the endpoint (default)',
  ),
  'Svc-Workflow-Invoke': text('true: another run waits until the run that the message starts ends'),
  'Svc-Workflow-Trigger-By-Sdk': text('true: the endpoint takes over the run'),
  'Svc-Feature-Set': text('What the SDK of the endpoint can do: LazyFetch, InitialBody, ...'),
}));

const onceOptions = once(() =>
  z.object({
    ...messageOptions(),
    'Svc-Not-Before': text('Earliest time of the first attempt, Unix seconds; overrides a delay'),
    ...runOptions(),
    'Svc-Queue-Name': text('The queue for the message'),
    'Svc-Cron': text('Creates a schedule that publishes the message instead; see schedules'),
    'Svc-Schedule-Id': text('The id of the schedule'),
  }),
);

const repeatedOptions = once(() =>
  z.object({
    'Svc-Cron': z
      .string()
      .describe('When to publish: five fields, optionally after CRON_TZ=<zone>'),
    'Svc-Schedule-Id': text(
      'Id of the schedule, which replaces one with the same id; default: a new id',
    ),
    'Svc-Queue-Name': text('The queue for the messages of the schedule'),
    ...messageOptions(),
  }),
);

const receipt = once(() =>
  z
    .object({
      messageId: z.string(),
      url: z.string(),
      deduplicated: z.literal(true).optional(),
    })
    .meta({ id: 'PublishReceipt' }),
);
const scheduleReceipt = once(() => z.object({ scheduleId: z.string() }));
const stepReceipt = once(() =>
  z.object({
    messageId: z
      .string()
      .optional()
      .describe('Delivers the step of a run; absent while the run that it invokes has not ended'),
  }),
);
const published = once(() =>
  z.union([receipt(), z.array(receipt()), scheduleReceipt(), stepReceipt()]),
);

const bytes = { isRequired: false };
const answers = {
  200: { description: 'Accepted; a list if the destination is a URL group', schema: published },
  202: {
    description: 'A duplicate of an earlier message, whose id the answer names',
    schema: receipt,
  },
};

const batchItem = once(() =>
  z.object({
    destination: z.string().describe('A URL, or the name of a URL group'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Option headers, and Content-Type'),
    body: z.string().nullish(),
    queue: z.string().nullish().describe('The queue for the message'),
  }),
);

/** The routes that publish. Each option header is defined once, for all of them. */
export const publishingRoutes = {
  publish: {
    summary: 'Publish a message to a URL or a URL group',
    repeats: 'seed',
    path: '/v2/publish/{destination}',
    headers: onceOptions,
    body: bytes,
    answers,
  },
  enqueue: {
    summary: 'Publish a message through a queue, which is created if it does not exist',
    repeats: 'seed',
    path: '/v2/enqueue/{queueName}/{destination}',
    headers: onceOptions,
    body: bytes,
    answers,
  },
  schedule: {
    summary: 'Create a schedule that publishes a message whenever a cron expression is due',
    repeats: 'seed',
    // The path is shared with the route of one schedule; here a destination takes the place of the
    // id.
    path: '/v2/schedules/{id}',
    headers: repeatedOptions,
    body: bytes,
    answers: { 200: { description: 'The schedule', schema: scheduleReceipt } },
  },
  batch: {
    summary: 'Publish many messages',
    repeats: 'seed',
    body: {
      isRequired: true,
      example: [
        { destination: 'https://example.com/hook', headers: { 'Svc-Delay': '1h' }, body: 'hello' },
      ],
      schema: () => z.array(batchItem()),
    },
    answers: {
      200: {
        description: 'The answer to each item, in the order of the request',
        schema: () => z.array(z.union([published(), z.object({ error: z.string() })])),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
