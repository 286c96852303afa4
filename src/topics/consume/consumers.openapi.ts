/** The OpenAPI descriptions of the routes of consumer groups (topics.md 4). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { successSchema } from '../../http/success.js';
import { commitsSchema, placesSchema } from '../sessions/offsets.request.js';
import { seekSchema } from '../sessions/seeks.request.js';

const place = once(() => z.object({ topic: z.string(), partition: z.int() }));
const position = once(() => place().extend({ offset: z.int() }));
const message = once(() =>
  position()
    .extend({
      timestamp: z.int().describe('Unix milliseconds'),
      key: z.string(),
      value: z.string().nullable(),
      headers: z.array(z.object({ key: z.string(), value: z.string() })),
    })
    .meta({ id: 'ConsumedRecord' }),
);

const timeout = once(() =>
  z.int().describe('Milliseconds to wait for the first record, at most 60000'),
);
const milliseconds = (text: string) => z.int().describe(text).optional();

const ackId = once(() =>
  z
    .string()
    .describe(
      'Ack id of the last answer that the client received; `none`: it has not received one yet',
    )
    .optional(),
);

const settings = once(() =>
  z.object({
    'Stream-Ack-Id': ackId(),
    'Stream-Enable-Auto-Commit': z.boolean().describe('Default true').optional(),
    'Stream-Auto-Commit-Interval': milliseconds('Milliseconds, default 5000'),
    'Stream-Auto-Offset-Reset': z.enum(['earliest', 'latest', 'none']).optional(),
    'Stream-Session-Timeout-Ms': z
      .int()
      .min(1000)
      .max(86_400_000)
      .describe('Idle time after which the instance ends; default STEPWELL_CONSUMER_IDLE')
      .optional(),
    'Stream-Encoding': z
      .enum(['text', 'base64'])
      .describe('Encoding of keys, values and header values in each answer')
      .optional(),
    'Last-Event-ID': z
      .string()
      .describe('For a stream: the last event received before the connection broke')
      .optional(),
    Accept: z
      .string()
      .describe('text/event-stream or application/x-ndjson: answers with a stream')
      .optional(),
    'Stream-Assignment-Strategy': z.enum(['range', 'roundrobin', 'sticky']).optional(),
  }),
);

const records = {
  200: {
    description: 'The records, in order within each partition',
    schema: () => z.array(message()),
    alternatives: ['text/event-stream', 'application/x-ndjson'],
  },
};
const done = { 200: { description: 'Done', schema: successSchema } };

/** The routes of readers in groups. */
export const consumerRoutes = {
  consume: {
    summary: 'Consume records of topics with an instance of a group, which the first call creates',
    changes: true,
    headers: settings,
    body: {
      isRequired: true,
      schema: () =>
        z.object({
          topic: z.string().optional(),
          topics: z.array(z.string()).optional(),
          timeout: timeout().optional(),
          maxRecords: z.int().min(1).describe('Default 500, at most 10000').optional(),
          maxBytes: z.int().min(1).describe('Bytes of keys and values').optional(),
        }),
    },
    answers: records,
  },
  consumeTopic: {
    summary:
      'Consume records of one topic with an instance of a group, which the first call creates',
    changes: true,
    headers: settings,
    query: () => z.object({ timeout: timeout().optional() }),
    answers: records,
  },
  commit: {
    summary:
      'Commit offsets for a group; without a body, everything that the instance has received',
    changes: true,
    headers: () =>
      z.object({
        'Stream-Generation': z
          .int()
          .describe('The commit is refused if the group is in another generation')
          .optional(),
        'Stream-Ack-Id': ackId(),
      }),
    body: { isRequired: false, schema: () => commitsSchema },
    answers: done,
  },
  committed: {
    summary: 'Get the offsets that a group has committed; -1 if there is none',
    changes: false,
    query: () => z.object({ timeout: z.int().optional() }),
    body: { isRequired: true, schema: () => placesSchema },
    answers: {
      200: {
        description: 'The offsets, in the order of the request',
        schema: () => z.array(position()),
      },
    },
  },
  list: {
    summary: 'List all instances of groups, with the partitions that they own',
    isLong: true,
    answers: {
      200: {
        description: 'The groups that have instances',
        schema: () =>
          z.array(
            z.object({
              name: z.string(),
              instances: z.array(
                z.object({
                  name: z.string(),
                  topics: z.array(z.object({ topic: z.string(), partitions: z.array(z.int()) })),
                }),
              ),
            }),
          ),
      },
    },
  },
  remove: {
    summary: 'Delete an instance: commits what it has received, and gives its partitions to others',
    headers: () => z.object({ 'Stream-Ack-Id': ackId() }),
    answers: done,
  },
  seek: {
    summary: 'Set the offsets from which an instance continues to read',
    body: { isRequired: true, schema: () => z.union([seekSchema, z.array(seekSchema)]) },
    answers: {
      200: {
        description: 'The offsets from which the instance continues',
        schema: () => z.array(position()),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
