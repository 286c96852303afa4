/** The OpenAPI schema of a subscription, and the descriptions of its routes. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds, templateShape } from '../../messaging/messages/message-schema.js';
import { subscriptionRequest } from './subscription.request.js';

const unknownThen = 'null = it is not known of then';
const lag = once(() => z.int().nullable());

const partitionSchema = once(() =>
  z.object({
    partition: z.int(),
    position: z.int().describe('The next offset to push'),
    lag: lag().describe(`Offsets that are there and not pushed yet; ${unknownThen}`),
    error: z
      .string()
      .describe('Why it does not go on: its next records are damaged; a purge gets it past them')
      .exactOptional(),
    inFlight: z
      .object({
        from: z.int().describe('The first offset of them'),
        until: z.int().describe('The offset behind the last of them'),
        messageIds: z.array(z.string()).readonly(),
      })
      .describe('Records that are being delivered; the next ones follow when they are')
      .exactOptional(),
  }),
);

/** Absent values are left out, not null. */
const subscriptionSchema = once(() =>
  z
    .object({
      name: z.string(),
      topic: z.string(),
      destination: z.string().describe('A URL, or the name of a URL group'),
      maxRecords: z.int().describe('Of one message'),
      encoding: z.enum(['text', 'base64']),
      createdAt: milliseconds,
      isPaused: z.boolean(),
      error: z.string().describe('Why nothing can be pushed now').exactOptional(),
      ...templateShape,
      lag: lag().describe(`Of all partitions; ${unknownThen}`),
      partitions: z.array(partitionSchema()).readonly(),
    })
    .meta({ id: 'Subscription' }),
);

/** A subscription as the API shows it. */
export type SubscriptionObject = Readonly<z.output<ReturnType<typeof subscriptionSchema>>>;

const done = {
  200: {
    description: 'Done',
    schema: () => z.object({ result: z.literal('Success'), status: z.literal(200) }),
  },
};

/** The routes of `/admin/subscriptions`. */
export const subscriptionRoutes = {
  create: {
    summary: 'Push the records of a topic to a URL, in order by partition',
    body: {
      isRequired: true,
      example: { name: 'to-hook', topic: 'rides', destination: 'https://example.com/hook' },
      schema: () => subscriptionRequest,
    },
    answers: {
      201: {
        description:
          'The subscription. How its messages are delivered, the headers of the request say as ' +
          'those of a publish do. The next records of a partition follow when those before ' +
          'are delivered or have failed for good. New partitions are pushed from their ' +
          'beginning; when the topic is deleted, so is the subscription',
        schema: subscriptionSchema,
      },
    },
  },
  list: {
    summary: 'All subscriptions',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'By name', schema: () => z.array(subscriptionSchema()) } },
  },
  show: {
    summary: 'One subscription, and how far it is',
    asOf: true,
    answers: { 200: { description: 'As it is now', schema: subscriptionSchema } },
  },
  remove: {
    summary: 'Delete a subscription; what is on its way arrives',
    answers: done,
  },
  pause: {
    summary: 'Push nothing until it is resumed; what is on its way arrives',
    answers: done,
  },
  resume: { summary: 'Go on where it was paused', answers: done },
} satisfies Record<string, RouteDescription>;
