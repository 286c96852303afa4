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
    .describe('How the destination is called; POST where it is not given'),
  'Svc-Timeout': text('The longest an attempt may take: 30, 2.5s, 1m30s'),
  'Svc-Retries': text('Attempts after the first'),
  'Svc-Retry-Delay': text('Milliseconds before the next attempt, of `retried`: 1000 * retried'),
  'Svc-Delay': text('From now to the first attempt: 90, 30s, 1d10h30m'),
  'Svc-Flow-Control-Key': text('Whose limits this message shares'),
  'Svc-Flow-Control-Value': text('parallelism=2, rate=3, period=1m'),
  'Svc-Label': text('Labels to find it by, with commas between them'),
  'Svc-Redact-Fields': text('What is not shown: body, headers, header[<name>]'),
}));

const messageOptions = once(() => ({
  ...deliveryOptions(),
  'Svc-Forward-<name>': text('A header for the destination, which receives it as <name>'),
  'Svc-Header-Forward': text('true: every other header of this request goes along'),
  'Svc-Callback': text('A URL to call after each attempt; it has options of its own'),
  'Svc-Callback-<option>': text('An option of the callback'),
  'Svc-Failure-Callback': text('A URL to call when the last attempt has failed'),
  'Svc-Failure-Callback-<option>': text('An option of the failure callback'),
  'Svc-Deduplication-Id': text('A publish with the same id within ten minutes is this one'),
  'Svc-Content-Based-Deduplication': text('true: a publish of the same content is this one'),
}));

/** Options that SDKs send for workflow runs. A publish that carries them is a command for a run. */
const runOptions = once(() => ({
  'Svc-Workflow-RunId': text('The run that it starts or adds to'),
  'Svc-Workflow-Init': text('true: it starts a run, whose payload is the body'),
  'Svc-Workflow-Url': text('The endpoint of the run'),
  'Svc-Workflow-CallType': text('toCallback: it calls a third party; step, as without it'),
  'Svc-Workflow-Invoke': text('true: another run waits for the end of the one that it starts'),
  'Svc-Workflow-Trigger-By-Sdk': text('true: the endpoint takes a run over'),
  'Svc-Feature-Set': text('What the SDK of the endpoint can do: LazyFetch, InitialBody, ...'),
}));

const onceOptions = once(() =>
  z.object({
    ...messageOptions(),
    'Svc-Not-Before': text('The first attempt, in Unix seconds; wins over a delay'),
    ...runOptions(),
    'Svc-Queue-Name': text('The queue that it goes through'),
    'Svc-Cron': text('Publish it again and again instead; see schedules'),
    'Svc-Schedule-Id': text('The id of the schedule'),
  }),
);

const repeatedOptions = once(() =>
  z.object({
    'Svc-Cron': z.string().describe('When: five fields, perhaps after CRON_TZ=<zone>'),
    'Svc-Schedule-Id': text('The schedule of this id is made anew; an id of its own without'),
    'Svc-Queue-Name': text('The queue that its messages go through'),
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
const published = once(() => z.union([receipt(), z.array(receipt()), scheduleReceipt()]));

const bytes = { isRequired: false };
const answers = {
  200: { description: 'Accepted; a list where the destination is a URL group', schema: published },
  202: { description: 'It repeats an earlier message, which is named', schema: receipt },
};

const batchItem = once(() =>
  z.object({
    destination: z.string().describe('A URL or the name of a URL group'),
    headers: z.record(z.string(), z.string()).optional().describe('Options and Content-Type'),
    body: z.string().nullish(),
    queue: z.string().nullish().describe('The queue that it goes through'),
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
    summary: 'Publish a message through a queue, which is made where there is none',
    repeats: 'seed',
    path: '/v2/enqueue/{queueName}/{destination}',
    headers: onceOptions,
    body: bytes,
    answers,
  },
  schedule: {
    summary: 'Publish a message whenever a cron expression comes up',
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
        description: 'What each item is answered, in its place',
        schema: () => z.array(z.union([published(), z.object({ error: z.string() })])),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
