/** The OpenAPI descriptions of the routes of topics (topics.md 2 and 3). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

const header = once(() => z.object({ key: z.string(), value: z.string() }));
const place = once(() => z.object({ topic: z.string(), partition: z.int() }));
const position = once(() => place().extend({ offset: z.int() }));

const produced = once(() =>
  position().extend({ timestamp: z.int().describe('Unix milliseconds') }),
);
const message = once(() =>
  produced()
    .extend({
      key: z.string(),
      value: z.string().nullable(),
      headers: z.array(header()),
    })
    .meta({ id: 'FetchedRecord' }),
);

const encoding = once(() =>
  z.enum(['text', 'base64']).describe('Encoding of the key, the value and the header values'),
);

const record = once(() =>
  z.object({
    partition: z.int().optional(),
    key: z.string().nullish(),
    value: z.string().nullable().describe('null is a tombstone'),
    headers: z.array(header().extend({ value: z.string().nullish() })).optional(),
    timestamp: z.int().describe('Unix milliseconds').optional(),
    encoding: encoding().optional(),
  }),
);
const recordWithTopic = once(() => record().extend({ topic: z.string() }));

const start = once(() =>
  place().extend({
    offset: z.int().optional(),
    timestamp: z.int().describe('Instead of an offset: Unix milliseconds').optional(),
  }),
);

const onceHeader = once(() =>
  z.object({
    'Idempotency-Key': z
      .string()
      .describe(
        'If the request is repeated with the same key within 24 hours, its records are stored once',
      )
      .optional(),
  }),
);
const produceHeaders = once(() =>
  onceHeader().extend({ 'Stream-Encoding': encoding().optional() }),
);
const produceQuery = once(() =>
  z.object({
    partial: z
      .enum(['true', 'false'])
      .describe('true: stores the valid records even if others are refused')
      .optional(),
  }),
);
const refusal = once(() => z.object({ error: z.string(), status: z.int() }));
const produceAnswers = {
  200: { description: 'The positions of the records', schema: () => z.array(produced()) },
  207: {
    description: 'For a partial produce: the position of each record, or why it was refused',
    schema: () => z.array(z.union([produced(), refusal()])),
  },
};

/** The routes that produce, and those that read without a group. */
export const topicRoutes = {
  produceByPath: {
    summary: 'Append one record, whose value is in the path',
    repeats: 'key',
    changes: true,
    query: () => z.object({ key: z.string().optional() }),
    headers: onceHeader,
    answers: { 200: { description: 'The position of the record', schema: produced } },
  },
  produceToTopic: {
    summary: 'Append records to a topic',
    repeats: 'key',
    changes: true,
    query: produceQuery,
    headers: produceHeaders,
    body: {
      isRequired: true,
      example: { key: 'k0', value: 'hello' },
      schema: () => z.union([record(), z.array(record())]),
    },
    answers: produceAnswers,
  },
  produce: {
    summary: 'Append records, each to the topic that it names',
    repeats: 'key',
    changes: true,
    query: produceQuery,
    headers: produceHeaders,
    body: {
      isRequired: true,
      example: { topic: 'rides', key: 'k0', value: 'hello' },
      schema: () => z.union([recordWithTopic(), z.array(recordWithTopic())]),
    },
    answers: produceAnswers,
  },
  webhook: {
    summary: 'Append one record: the raw body, with the non-standard headers of the request',
    repeats: 'key',
    changes: true,
    query: () =>
      z.object({
        topic: z.string(),
        key: z.string().optional(),
        partition: z.string().optional(),
        user: z
          .string()
          .describe('For senders that cannot set headers: the user name of the credentials')
          .optional(),
        pass: z.string().optional(),
      }),
    headers: onceHeader,
    body: { isRequired: false },
    answers: {
      200: {
        description: 'A list with the position of the record',
        schema: () => z.array(produced()),
      },
    },
  },
  list: {
    summary: 'List all topics that the credential may access',
    isLong: true,
    answers: {
      200: {
        description: 'The number of partitions of each topic',
        schema: () => z.record(z.string(), z.int()),
      },
    },
  },
  fetch: {
    summary: 'Fetch records, starting at given offsets',
    changes: false,
    headers: () => z.object({ 'Stream-Encoding': encoding().optional() }),
    body: {
      isRequired: true,
      example: { topic: 'rides', partition: 0, offset: 0 },
      schema: () =>
        z.object({
          ...start().partial().shape,
          topicPartitionOffsets: z.array(start()).optional(),
          timeout: z.int().describe('Milliseconds to wait for the first record').optional(),
          maxRecords: z.int().min(1).max(10_000).default(500).optional(),
          maxBytes: z.int().min(1).describe('Maximum size of the answer').optional(),
          untilTimestamp: z
            .int()
            .describe('Stops before the first record with this timestamp or a later one')
            .optional(),
          offsetReset: z
            .enum(['earliest', 'latest'])
            .describe('Where to start instead of answering 416')
            .optional(),
        }),
    },
    answers: { 200: { description: 'The records', schema: () => z.array(message()) } },
  },
  offsets: {
    summary: 'Find offsets by time: earliest, latest, or Unix milliseconds',
    changes: false,
    query: () => z.object({ timeout: z.int().optional() }),
    body: {
      isRequired: true,
      example: { topic: 'rides', partition: 0 },
      schema: () => z.union([place(), z.array(place())]),
    },
    answers: { 200: { description: 'The offsets', schema: () => z.array(position()) } },
  },
} satisfies Record<string, RouteDescription>;
