/** Describes the routes of dead letters (messaging.md 10). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import {
  headerMapSchema,
  messageSchema,
  originQuery,
  searchedToSchema,
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

/** What `source=workflow` lists: a feature above describes it, under this name. */
const failedRun = once(() => z.unknown().meta({ $ref: '#/components/schemas/FailedRun' }));
const listed = once(() => z.array(z.union([letter(), failedRun()])));

const cursor = once(() => z.string().describe('The cursor of the previous page').optional());

/** The filter by the error of a letter. */
export const letterErrorQuery = several.describe(
  'The error, as GET /v2/dlq/groups shows it; other numbers in it are the same error',
);

const bulkFields = once(
  () =>
    ({
      ...originQuery,
      host: several.describe('Host, with or without its port'),
      path: several,
      dlqIds: several,
      messageId: several,
      responseStatus: z.array(z.int()).optional(),
      error: letterErrorQuery,
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
    'Svc-Retries': option('Maximum number of attempts after the first one'),
    'Svc-Retry-Delay': option(
      'Expression for the milliseconds before the next attempt; may use `retried`: 1000 * retried',
    ),
    'Svc-Timeout': option('Timeout of each attempt: 30, 2.5s, 1m30s'),
    'Svc-Delay': option('Delay before the first attempt: 90, 30s, 1d10h30m'),
    'Svc-Not-Before': option('Earliest time of the first attempt, Unix seconds; overrides a delay'),
    'Svc-Label': option('Labels that replace the old ones, comma separated'),
    'Svc-Flow-Control-Key': option(
      'Flow-control key whose limits apply to the message; requires a value',
    ),
    'Svc-Flow-Control-Value': option('parallelism=2, rate=3, period=1m'),
  }),
);

const more = once(() => z.string().describe('Absent when no more items match').exactOptional());
const retried = once(() => z.array(z.object({ messageId: z.string() })));

/** The routes of `/v2/dlq`, except those of groups. */
export const deadLetterRoutes = {
  list: {
    summary: 'List the messages that failed for good',
    asOf: true,
    query: () =>
      z.object({
        ...listFields(),
        source: z
          .literal('workflow')
          .describe(
            'Lists failed workflow runs instead, like GET /v2/workflows/dlq and with its filters',
          )
          .optional(),
      }),
    answers: {
      200: {
        description: 'The dead letters, newest first unless `order` says otherwise',
        schema: () =>
          z.object({
            messages: listed(),
            searchedTo: searchedToSchema,
            damaged: damaged(),
            cursor: more(),
          }),
      },
    },
  },
  show: {
    summary: 'Get a dead letter',
    asOf: true,
    answers: {
      200: { description: 'The message, with the response to its last attempt', schema: letter },
    },
  },
  remove: {
    summary: 'Delete a dead letter',
    answers: { 200: { description: 'Deleted', schema: () => z.object({ deleted: z.int() }) } },
  },
  removeMany: {
    summary: 'Delete every dead letter that matches the filters',
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
    summary: 'Publish again the message of every dead letter that matches the filters',
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
