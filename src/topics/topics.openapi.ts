/** How the routes of topics are described (log protocol: produce, fetch, offsets). */
import { z } from 'zod';
import type { RouteDescription } from '../http/route-description.js';

const header = z.object({ key: z.string(), value: z.string() });
const place = z.object({ topic: z.string(), partition: z.int() });
const position = place.extend({ offset: z.int() });

const produced = position.extend({ timestamp: z.int().describe('Unix milliseconds') });
const message = produced.extend({
  key: z.string(),
  value: z.string().nullable(),
  headers: z.array(header),
});

const record = z.object({
  partition: z.int().optional(),
  key: z.string().optional(),
  value: z.string().nullish(),
  headers: z.array(header).optional(),
  timestamp: z.int().optional(),
});
const recordWithTopic = record.extend({ topic: z.string() });

export const topicRoutes = {
  produceByPath: {
    summary: 'Append one record, whose value stands in the path',
    query: z.object({ key: z.string().optional() }),
    answers: { 200: { description: 'Where it stands', schema: produced } },
  },
  produceToTopic: {
    summary: 'Append records to a topic',
    body: { isRequired: true, schema: z.union([record, z.array(record)]) },
    answers: { 200: { description: 'Where they stand', schema: z.array(produced) } },
  },
  produce: {
    summary: 'Append records to the topics that they name',
    body: { isRequired: true, schema: z.union([recordWithTopic, z.array(recordWithTopic)]) },
    answers: { 200: { description: 'Where they stand', schema: z.array(produced) } },
  },
  list: {
    summary: 'All topics',
    answers: {
      200: {
        description: 'Topic to number of partitions',
        schema: z.record(z.string(), z.int()),
      },
    },
  },
  fetch: {
    summary: 'Records from given offsets on',
    body: {
      isRequired: true,
      schema: z.object({
        ...position.partial().shape,
        topicPartitionOffsets: z.array(position).optional(),
        timeout: z.int().describe('Milliseconds to wait for a first record').optional(),
      }),
    },
    answers: { 200: { description: 'The records', schema: z.array(message) } },
  },
  offsets: {
    summary: 'Offsets by time: earliest, latest, or Unix milliseconds',
    body: { isRequired: true, schema: z.union([place, z.array(place)]) },
    answers: { 200: { description: 'The offsets', schema: z.array(position) } },
  },
} satisfies Record<string, RouteDescription>;
