/** The OpenAPI schema of a subscription, and the descriptions of its routes. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { successSchema } from '../../http/success.js';
import { milliseconds, templateShape } from '../../messaging/messages/message-schema.js';
import { subscriptionRequest } from './subscription.request.js';

const unknownThen = 'null = unknown for the time that asOf names';
const lag = once(() => z.int().nullable());

const partitionSchema = once(() =>
  z.object({
    partition: z.int(),
    position: z.int().describe('The next offset to push'),
    lag: lag().describe(`Offsets that are stored but not pushed yet; ${unknownThen}`),
    error: z
      .string()
      .describe('Why the partition is stuck: its next records are damaged; a purge skips them')
      .exactOptional(),
    inFlight: z
      .object({
        from: z.int().describe('The first of these offsets'),
        until: z.int().describe('The offset after the last one'),
        messageIds: z.array(z.string()).readonly(),
      })
      .describe('Records that are being delivered; the next ones follow afterwards')
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
      maxRecords: z.int().describe('Maximum number of records per message'),
      encoding: z.enum(['text', 'base64']),
      createdAt: milliseconds,
      isPaused: z.boolean(),
      error: z.string().describe('Why nothing can be pushed now').exactOptional(),
      ...templateShape,
      lag: lag().describe(`Lag of all partitions; ${unknownThen}`),
      partitions: z.array(partitionSchema()).readonly(),
    })
    .meta({ id: 'Subscription' }),
);

/** A subscription as the API shows it. */
export type SubscriptionObject = Readonly<z.output<ReturnType<typeof subscriptionSchema>>>;

const done = { 200: { description: 'Done', schema: successSchema } };

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
          'The subscription. As for a publish, headers of the request set how its messages are ' +
          'delivered. The next records of a partition follow when the earlier ones ' +
          'are delivered or have failed for good. New partitions are pushed from their ' +
          'beginning; when the topic is deleted, so is the subscription',
        schema: subscriptionSchema,
      },
    },
  },
  list: {
    summary: 'List all subscriptions',
    asOf: true,
    isLong: true,
    answers: {
      200: {
        description: 'The subscriptions, sorted by name',
        schema: () => z.array(subscriptionSchema()),
      },
    },
  },
  show: {
    summary: 'Get a subscription and its progress',
    asOf: true,
    answers: { 200: { description: 'The subscription', schema: subscriptionSchema } },
  },
  remove: {
    summary: 'Delete a subscription; messages on their way are still delivered',
    answers: done,
  },
  pause: {
    summary: 'Pause a subscription until it is resumed; messages on their way are still delivered',
    answers: done,
  },
  resume: { summary: 'Resume a subscription where it was paused', answers: done },
} satisfies Record<string, RouteDescription>;
