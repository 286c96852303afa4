/** The OpenAPI descriptions of the routes of consumer groups (topics.md 4). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { commitsSchema, placesSchema } from '../sessions/offsets.request.js';
import { seekSchema } from '../sessions/seeks.request.js';

const place = once(() => z.object({ topic: z.string(), partition: z.int() }));
const position = once(() => place().extend({ offset: z.int() }));
const success = once(() => z.object({ result: z.literal('Success'), status: z.literal(200) }));
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
  z.int().describe('Milliseconds to wait for a first record; 60000 at most'),
);
const milliseconds = (text: string) => z.int().describe(text).optional();

const ackId = once(() =>
  z.string().describe('Of the last answer that the client has; none: of no answer yet').optional(),
);

const settings = once(() =>
  z.object({
    'Stream-Ack-Id': ackId(),
    'Stream-Enable-Auto-Commit': z.boolean().describe('true without it').optional(),
    'Stream-Auto-Commit-Interval': milliseconds('Milliseconds; 5000 without it'),
    'Stream-Auto-Offset-Reset': z.enum(['earliest', 'latest', 'none']).optional(),
    'Stream-Session-Timeout-Ms': milliseconds(
      '1000 to 86400000 milliseconds of silence end the instance; STEPWELL_CONSUMER_IDLE without it',
    ),
    'Stream-Encoding': z.enum(['text', 'base64']).describe('Of each answer').optional(),
    'Last-Event-ID': z.string().describe('Of a stream: where it was broken off').optional(),
    Accept: z.string().describe('text/event-stream or application/x-ndjson: a stream').optional(),
    'Stream-Assignment-Strategy': z.enum(['range', 'roundrobin', 'sticky']).optional(),
  }),
);

const records = {
  200: { description: 'Records in the order of each partition', schema: () => z.array(message()) },
};
const done = { 200: { description: 'Done', schema: success } };

/** The routes of readers in groups. */
export const consumerRoutes = {
  consume: {
    summary: 'Records of topics for an instance of a group, which the first call makes',
    changes: true,
    headers: settings,
    body: {
      isRequired: true,
      schema: () =>
        z.object({
          topic: z.string().optional(),
          topics: z.array(z.string()).optional(),
          timeout: timeout().optional(),
          maxRecords: z.int().describe('500 without it, 10000 at most').optional(),
          maxBytes: z.int().describe('Bytes of keys and values').optional(),
        }),
    },
    answers: records,
  },
  consumeTopic: {
    summary: 'Records of one topic for an instance of a group, which the first call makes',
    changes: true,
    headers: settings,
    query: () => z.object({ timeout: timeout().optional() }),
    answers: records,
  },
  commit: {
    summary: 'Commit offsets for a group; without a body all that the instance was given',
    changes: true,
    headers: () =>
      z.object({
        'Stream-Generation': z.int().describe('Refused if the group is in another one').optional(),
        'Stream-Ack-Id': ackId(),
      }),
    body: { isRequired: false, schema: () => commitsSchema },
    answers: done,
  },
  committed: {
    summary: 'The offsets a group has committed; -1 where there is none',
    changes: false,
    query: () => z.object({ timeout: z.int().optional() }),
    body: { isRequired: true, schema: () => placesSchema },
    answers: { 200: { description: 'In the order asked', schema: () => z.array(position()) } },
  },
  list: {
    summary: 'All instances of groups, with the partitions they own',
    isLong: true,
    answers: {
      200: {
        description: 'Groups that have instances',
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
    summary: 'Delete an instance: others get its partitions, what it was given is committed',
    headers: () => z.object({ 'Stream-Ack-Id': ackId() }),
    answers: done,
  },
  seek: {
    summary: 'Let an instance read on from other offsets',
    body: { isRequired: true, schema: () => z.union([seekSchema, z.array(seekSchema)]) },
    answers: {
      200: {
        description: 'Where it reads on',
        schema: () => z.array(position()),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
