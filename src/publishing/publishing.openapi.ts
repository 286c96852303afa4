/** How the ways in for messages are described (messaging protocol 2.1 to 2.3, 2.7 and 4). */
import { z } from 'zod';
import type { RouteDescription } from '../http/route-description.js';

const text = z.string().optional();

/** Options of a message; `Upstash-` in place of `Svc-` is understood as well. */
const options = {
  'Svc-Method': text,
  'Svc-Delay': z.string().describe('A duration: 1d10h30m').optional(),
  'Svc-Not-Before': z.int().describe('Unix seconds').optional(),
  'Svc-Timeout': z.string().describe('A duration').optional(),
  'Svc-Retries': z.int().min(0).optional(),
  'Svc-Retry-Delay': z.string().describe('An expression in milliseconds').optional(),
  'Svc-Deduplication-Id': text,
  'Svc-Content-Based-Deduplication': z.enum(['true', 'false']).optional(),
  'Svc-Callback': z.string().describe('A URL').optional(),
  'Svc-Failure-Callback': z.string().describe('A URL').optional(),
  'Svc-Label': z.string().describe('Names with commas between them').optional(),
  'Svc-Redact-Fields': z.string().describe('body, headers, header[<name>]').optional(),
  'Svc-Flow-Control-Key': text,
  'Svc-Flow-Control-Value': z.string().describe('parallelism=2, rate=3, period=1m').optional(),
  'Svc-Header-Forward': z.enum(['true', 'false']).optional(),
};

const receipt = z.object({
  messageId: z.string(),
  url: z.string().optional(),
  deduplicated: z.literal(true).optional(),
});
const receipts = z.array(receipt);
/** One for a URL, one for each endpoint of a URL group. */
const answer = z.union([receipt, receipts]);
const body = { isRequired: false };

const accepted = {
  200: { description: 'Accepted, and durable as Stepwell-Durability says', schema: answer },
  202: { description: 'A repeat of an earlier message, which is named', schema: answer },
};

export const publishingRoutes = {
  publish: {
    summary: 'Publish a message to a URL, or to the endpoints of a URL group',
    path: '/v2/publish/{destination}',
    headers: z.object(options),
    body,
    answers: accepted,
  },
  enqueue: {
    summary: 'Publish a message through a queue, which is created where there is none',
    path: '/v2/enqueue/{queueName}/{destination}',
    headers: z.object(options),
    body,
    answers: accepted,
  },
  batch: {
    summary: 'Publish many messages in one request',
    body: {
      isRequired: true,
      schema: z.array(
        z.object({
          destination: z.string(),
          headers: z.record(z.string(), z.string()).optional(),
          body: z.string().nullish(),
          queue: z.string().nullish(),
        }),
      ),
    },
    answers: {
      200: {
        description: 'An answer for each item, in their order',
        schema: z.array(z.union([receipt, receipts, z.object({ error: z.string() })])),
      },
    },
  },
  schedule: {
    summary: 'Publish a message again and again; a known Svc-Schedule-Id is overwritten',
    path: '/v2/schedules/{destination}',
    headers: z.object({
      'Svc-Cron': z.string().describe('Five fields, after CRON_TZ=<zone> if any'),
      'Svc-Schedule-Id': text,
      'Svc-Queue-Name': text,
      ...options,
    }),
    body,
    answers: {
      200: { description: 'The schedule', schema: z.object({ scheduleId: z.string() }) },
    },
  },
} satisfies Record<string, RouteDescription>;
