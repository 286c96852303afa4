/** The OpenAPI descriptions of the routes that administer topics. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const retention = once(() => ({
  retentionMs: z.int().describe('Milliseconds; -1 = no limit. Not for compacted topics'),
  retentionBytes: z.int().describe('Of one partition; -1 = no limit. Not for compacted topics'),
}));
const cleanupPolicy = once(() =>
  z.enum(['delete', 'compact']).describe('Old records go, or of each key all but the last one'),
);

const topic = once(() =>
  z
    .object({
      name: z.string(),
      createdAt: z.int().describe('Unix milliseconds'),
      partitions: z.int(),
      cleanupPolicy: cleanupPolicy(),
      ...retention(),
      bytes: z.int().nullable().describe('Of all partitions; null = it is not known of then'),
    })
    .meta({ id: 'Topic' }),
);

const partition = once(() =>
  z.object({
    partition: z.int(),
    earliest: z.int().describe('The first offset that can be read'),
    latest: z.int().describe('The offset that the next record will get'),
    bytes: z.int(),
    newestAt: z
      .int()
      .nullable()
      .describe('The latest time of a record or an append, Unix milliseconds'),
    damaged: z
      .array(z.object({ from: z.int(), until: z.int().describe('Exclusive') }))
      .describe('Offsets that cannot be read; absent where no damage is known')
      .optional(),
  }),
);

const details = once(() =>
  topic()
    .extend({
      offsets: z.array(partition()).nullable().describe('null = it is not known of then'),
    })
    .meta({ id: 'TopicDetails' }),
);

const settings = once(() => ({
  partitions: z.int().min(1).max(1024).optional(),
  retentionMs: retention().retentionMs.nullish(),
  retentionBytes: retention().retentionBytes.nullish(),
}));

const purge = once(() =>
  z.object({
    partition: z.int(),
    before: z.int().describe('The first offset that stays'),
  }),
);

/** The routes of `/admin/topics`. */
export const topicAdminRoutes = {
  create: {
    summary: 'Create a topic',
    body: {
      isRequired: true,
      example: { name: 'rides', partitions: 3 },
      schema: () =>
        z.object({ name: z.string(), ...settings(), cleanupPolicy: cleanupPolicy().optional() }),
    },
    answers: { 201: { description: 'The topic', schema: details } },
  },
  list: {
    summary: 'All topics with their settings',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'By name', schema: () => z.array(topic()) } },
  },
  show: {
    summary: 'One topic: its settings, and what its partitions hold',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'The topic', schema: details } },
  },
  alter: {
    summary: 'Change how long a topic keeps its records, or give it more partitions',
    body: { isRequired: true, schema: () => z.object(settings()) },
    answers: { 200: { description: 'The topic as it is now', schema: details } },
  },
  remove: {
    summary: 'Delete a topic and its records',
    answers: {
      200: {
        description: 'It is gone',
        schema: () => z.object({ result: z.literal('Success'), status: z.literal(200) }),
      },
    },
  },
  purge: {
    summary: 'Let the records before given offsets go',
    body: { isRequired: true, schema: () => z.union([purge(), z.array(purge())]) },
    answers: {
      200: {
        description: 'Where the partitions begin now',
        schema: () => z.array(z.object({ topic: z.string(), partition: z.int(), offset: z.int() })),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
