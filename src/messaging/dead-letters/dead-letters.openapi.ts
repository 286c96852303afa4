/** Describes the routes of dead letters (messaging.md 10). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import {
  headerMapSchema,
  messageSchema,
  originQuery,
  several,
} from '../messages/message-schema.js';
import type { bulkFilters, listFilters } from './dead-letters.request.js';

const letter = once(() =>
  messageSchema
    .extend({
      dlqId: z.string(),
      responseStatus: z.int().describe('0 = the last attempt got no response'),
      responseHeader: headerMapSchema,
      responseBody: z.string().exactOptional(),
      responseBodyBase64: z.string().exactOptional(),
    })
    .meta({ id: 'DeadLetter' }),
);

const cursor = once(() => z.string().describe('Of the page before').optional());

const bulkFields = once(
  () =>
    ({
      ...originQuery,
      host: several.describe('With its port or without'),
      path: several,
      dlqIds: several,
      messageId: several,
      responseStatus: z.array(z.int()).optional(),
      count: z.int().min(1).max(100).default(100).optional(),
      cursor: cursor(),
    }) satisfies Record<keyof typeof bulkFilters, z.ZodType>,
);

const listFields = once(
  () =>
    ({
      ...bulkFields(),
      order: z.enum(['latestFirst', 'earliestFirst']).default('latestFirst').optional(),
    }) satisfies Record<keyof typeof listFilters, z.ZodType>,
);

const bulk = {
  query: () => z.object(bulkFields()),
  body: { isRequired: false, schema: () => z.object({ dlqIds: z.array(z.string()).optional() }) },
};

const option = (means: string) => z.string().optional().describe(means);

/** The options that the headers of a retry may change. */
const overrides = once(() =>
  z.object({
    'Svc-Retries': option('Attempts after the first'),
    'Svc-Retry-Delay': option('Milliseconds before the next attempt, of `retried`: 1000 * retried'),
    'Svc-Timeout': option('The longest an attempt may take: 30, 2.5s, 1m30s'),
    'Svc-Delay': option('From now to the first attempt: 90, 30s, 1d10h30m'),
    'Svc-Not-Before': option('The first attempt, in Unix seconds; wins over a delay'),
    'Svc-Label': option('Labels instead of the old ones, with commas between them'),
    'Svc-Flow-Control-Key': option('Whose limits the message shares; a value goes with it'),
    'Svc-Flow-Control-Value': option('parallelism=2, rate=3, period=1m'),
  }),
);

const more = once(() => z.string().describe('Absent when nothing is left').exactOptional());
const retried = once(() => z.array(z.object({ messageId: z.string() })));

/** The routes of `/v2/dlq`, except those of groups. */
export const deadLetterRoutes = {
  list: {
    summary: 'Messages that failed for good',
    asOf: true,
    query: () =>
      z.object({
        ...listFields(),
        source: z
          .literal('workflow')
          .describe('Failed workflow runs instead: as GET /v2/workflows/dlq, with its filters')
          .optional(),
      }),
    answers: {
      200: {
        description: 'The newest first unless asked otherwise',
        schema: () => z.object({ messages: z.array(letter()), cursor: more(), damaged: damaged() }),
      },
    },
  },
  show: {
    summary: 'One dead letter',
    asOf: true,
    answers: { 200: { description: 'Its message and its last answer', schema: letter } },
  },
  remove: {
    summary: 'Delete a dead letter',
    answers: { 200: { description: 'Deleted', schema: () => z.object({ deleted: z.int() }) } },
  },
  removeMany: {
    summary: 'Delete every dead letter that the filters mean',
    ...bulk,
    answers: {
      200: {
        description: 'How many were deleted',
        schema: () => z.object({ deleted: z.int(), cursor: more() }),
      },
    },
  },
  retry: {
    summary: 'Publish the message of a dead letter again',
    headers: overrides,
    answers: {
      201: {
        description: 'The new message',
        schema: () => z.object({ messageId: z.string(), responses: retried() }),
      },
    },
  },
  retryMany: {
    summary: 'Publish the messages of every dead letter that the filters mean again',
    ...bulk,
    headers: overrides,
    answers: {
      201: {
        description: 'The new messages',
        schema: () => z.object({ responses: retried(), cursor: more() }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
