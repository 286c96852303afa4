/** The OpenAPI descriptions of the routes that administer groups (topics.md 5.2). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { successSchema } from '../../http/success.js';
import { strategies } from '../groups/assignment.policy.js';
import { offsetResetSchema } from './groups-admin.request.js';

const place = once(() => z.object({ topic: z.string(), partition: z.int() }));
const time = once(() => z.int().nullable().describe('Unix milliseconds'));

const summary = once(() =>
  z
    .object({
      name: z.string(),
      phase: z.enum(['live', 'deleting']),
      generation: z.int(),
      strategy: z.enum(strategies),
      emptySince: time(),
      memberCount: z.int(),
      lag: z
        .int()
        .nullable()
        .describe(
          'Uncommitted records of all partitions; null = unknown for the time that asOf names',
        ),
    })
    .meta({ id: 'ConsumerGroup' }),
);

const member = once(() =>
  z.object({
    instance: z.string(),
    topics: z.array(z.string()),
    assignments: z.array(z.object({ topic: z.string(), partitions: z.array(z.int()) })),
    lastSeenAt: time(),
    isCalling: z.boolean().nullable(),
    // Settings of the session: absent if a member has none now, and for a past moment.
    autoCommit: z.boolean().optional(),
    autoCommitIntervalMs: z.int().optional(),
    offsetReset: z.enum(['earliest', 'latest', 'none']).optional(),
    sessionTimeoutMs: z.int().optional(),
  }),
);

const progress = once(() =>
  place().extend({
    owner: z.string().nullable(),
    committed: z.int().nullable(),
    position: z.int().nullable(),
    endOffset: z.int().nullable(),
    lag: z.int().nullable(),
  }),
);

/** The routes of `/admin/groups`. */
export const groupRoutes = {
  list: {
    summary: 'List all consumer groups',
    asOf: true,
    isLong: true,
    answers: {
      200: {
        description: 'The groups, in the order of their creation',
        schema: () => z.array(summary()),
      },
    },
  },
  show: {
    summary: 'Get a consumer group with its members and its lag per partition',
    asOf: true,
    isLong: true,
    answers: {
      200: {
        description: 'The group',
        schema: () =>
          summary().extend({ members: z.array(member()), partitions: z.array(progress()) }),
      },
    },
  },
  remove: {
    summary: 'Delete a consumer group that has no members, with its committed offsets',
    answers: { 200: { description: 'Done', schema: successSchema } },
  },
  reset: {
    summary: 'Set the committed offsets of a consumer group that has no members',
    body: { isRequired: true, schema: () => offsetResetSchema },
    answers: {
      200: {
        description: 'The old and the new committed offsets',
        schema: () => z.array(place().extend({ from: z.int(), to: z.int() })),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
