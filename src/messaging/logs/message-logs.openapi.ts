/** Describes the listing of logs (messaging.md 9). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import {
  headerMapSchema as headerMap,
  milliseconds,
  originQuery,
  searchedToSchema as searchedTo,
  several,
} from '../messages/message-schema.js';
import { logStates } from './log-entry.js';
import type { LogRow } from './log-row.js';
import { countedProperties } from './logs.request.js';

/** A row; fields that clients read in either of two spellings are present in both. */
export const logRowSchema = once(() =>
  z
    .object({
      time: milliseconds,
      state: z.enum(logStates),
      messageId: z.string(),
      offset: z
        .int()
        .describe('Offset in the journal; absent while an attempt is in flight')
        .optional(),
      attempt: z.int().describe('Number of the attempt, counted from 1').optional(),
      durationMs: z.int().describe('How long the attempt took').optional(),
      url: z.string(),
      method: z.string(),
      maxRetries: z.int(),
      header: headerMap,
      body: z.string().describe('Base64, or `REDACTED:` followed by a digest').optional(),
      nextDeliveryTime: milliseconds.describe(
        'Time of the next attempt, or of the last one if there is no next',
      ),
      error: z.string().optional(),
      responseStatus: z.int().optional(),
      responseHeader: headerMap.optional(),
      responseHeaders: headerMap.optional(),
      responseBody: z.string().optional(),
      responseBodyBase64: z
        .string()
        .describe('Instead of responseBody, if the body is not UTF-8')
        .optional(),
      topicName: z.string().optional(),
      endpointName: z.string().optional(),
      queueName: z.string().optional(),
      scheduleId: z.string().optional(),
      sourceMessageId: z
        .string()
        .describe('Only on callbacks: the message that the callback reports on')
        .optional(),
      timeout: z.int().describe('Milliseconds').optional(),
      callback: z.string().optional(),
      callbackHeaders: headerMap.optional(),
      failureCallback: z.string().optional(),
      failureCallbackHeaders: headerMap.optional(),
      retryDelayExpr: z.string().optional(),
      retryDelayExpression: z.string().optional(),
      label: z.string().optional(),
      labels: z.array(z.string()).optional(),
      flowControlKey: z.string().optional(),
      parallelism: z.int().optional(),
      rate: z.int().optional(),
      period: z.int().describe('Seconds').optional(),
    } satisfies Record<keyof LogRow, z.ZodType>)
    .meta({ id: 'LogRow' }),
);

const stateWords = [...logStates, 'CANCELLED', 'IN_PROGRESS'] as const;

const rowQuery = once(() => ({
  cursor: z.string().describe('The cursor of the previous page').optional(),
  messageId: several,
  messageIds: several,
  state: z.array(z.enum(stateWords)).optional(),
  contains: z.string().max(256).describe('Only rows that contain this exact text').optional(),
  host: several,
  path: several,
  ...originQuery,
}));

/** The query of both names of the listing. */
const query = once(() =>
  z.object({
    ...rowQuery(),
    count: z.int().min(1).max(1000).default(100).optional(),
    order: z.enum(['latestFirst', 'earliestFirst']).default('latestFirst').optional(),
    trimBody: z.int().min(-1).describe('Bytes to keep of each body; -1 = no bodies').optional(),
  }),
);

const cursor = once(() => z.string().describe('Absent on the last page').optional());

/** Describes pages of rows, which are in the field of this name. */
const rowsRoute = (summary: string, field: 'logs' | 'events'): RouteDescription => ({
  summary,
  asOf: true,
  query,
  answers: {
    200: {
      description: 'The rows, newest first unless `order` says otherwise',
      schema: () =>
        z.object({
          cursor: cursor(),
          searchedTo,
          damaged: damaged(),
          [field]: z.array(logRowSchema()),
        }),
    },
  },
});

/** Describes `GET /v2/logs`. */
export const logsRoute = rowsRoute('List what happened to messages, page by page', 'logs');

/** Describes `GET /v2/events`, which older clients request. */
export const eventsRoute = rowsRoute(
  'The same rows as /v2/logs, in a field named events',
  'events',
);

const count = once(() =>
  z.object({
    time: milliseconds
      .describe('Start of the bucket; absent if the request names no bucket')
      .optional(),
    key: z.string(),
    count: z.int(),
  }),
);

const countsAnswer = once(() =>
  z.object({
    by: z.enum(countedProperties),
    bucket: z.int().describe('Milliseconds').optional(),
    counts: z.array(count()).readonly(),
    cursor: z.string().describe('Absent when every row was counted').optional(),
    searchedTo,
    damaged: damaged(),
  }),
);
/**
 * The answer of `GET /v2/logs/counts`; with `bucket`, each count has the time at which its stretch
 * began.
 */
export type CountsAnswer = z.infer<ReturnType<typeof countsAnswer>>;

/** Describes `GET /v2/logs/counts`. */
export const countsRoute: RouteDescription = {
  summary: 'Count the rows of the logs, by state or by another property',
  query: () =>
    z.object({
      ...rowQuery(),
      by: z.enum(countedProperties).default('state').optional(),
      bucket: z
        .string()
        .describe('Counts rows separately for each period of this length: 30s, 1m, 1h')
        .optional(),
    }),
  answers: {
    200: {
      description:
        'The counts: oldest bucket first, and the highest count first within each bucket',
      schema: countsAnswer,
    },
  },
  isLong: true,
};
