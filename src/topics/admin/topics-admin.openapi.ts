/** The OpenAPI descriptions of the routes that administer topics. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { successSchema } from '../../http/success.js';

const retention = once(() => ({
  retentionMs: z.int().min(-1).describe('Milliseconds; -1 = no limit. Not for compacted topics'),
  retentionBytes: z
    .int()
    .min(-1)
    .describe('Bytes of each partition; -1 = no limit. Not for compacted topics'),
}));
const cleanupPolicy = once(() =>
  z
    .enum(['delete', 'compact'])
    .describe('delete: removes old records; compact: keeps only the last record of each key'),
);

const topic = once(() =>
  z
    .object({
      name: z.string(),
      createdAt: z.int().describe('Unix milliseconds'),
      partitions: z.int(),
      cleanupPolicy: cleanupPolicy(),
      ...retention(),
      bytes: z
        .int()
        .nullable()
        .describe('Bytes of all partitions; null = unknown for the time that asOf names'),
    })
    .meta({ id: 'Topic' }),
);

const partition = once(() =>
  z.object({
    partition: z.int(),
    earliest: z.int().describe('The first offset that can be read'),
    latest: z.int().describe('The offset of the next record'),
    bytes: z.int(),
    newestAt: z
      .int()
      .nullable()
      .describe('The latest timestamp of a record, or time of an append, Unix milliseconds'),
    damaged: z
      .array(z.object({ from: z.int(), until: z.int().describe('Exclusive') }))
      .describe('Offsets that cannot be read; absent if no damage is known')
      .optional(),
  }),
);

const details = once(() =>
  topic()
    .extend({
      offsets: z
        .array(partition())
        .nullable()
        .describe('null = unknown for the time that asOf names'),
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
    before: z.int().describe('The first offset to keep'),
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
    summary: 'List all topics with their settings',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'The topics, sorted by name', schema: () => z.array(topic()) } },
  },
  show: {
    summary: 'Get a topic, its settings and the state of its partitions',
    asOf: true,
    isLong: true,
    answers: { 200: { description: 'The topic', schema: details } },
  },
  alter: {
    summary: 'Change the retention of a topic, or increase its number of partitions',
    body: { isRequired: true, schema: () => z.object(settings()) },
    answers: { 200: { description: 'The changed topic', schema: details } },
  },
  remove: {
    summary: 'Delete a topic and its records',
    answers: { 200: { description: 'The topic is deleted', schema: successSchema } },
  },
  purge: {
    summary: 'Delete the records before given offsets',
    body: { isRequired: true, schema: () => z.union([purge(), z.array(purge())]) },
    answers: {
      200: {
        description: 'The new first offset of each partition',
        schema: () => z.array(z.object({ topic: z.string(), partition: z.int(), offset: z.int() })),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
