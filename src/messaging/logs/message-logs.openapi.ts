/** How the listing of logs is described (messaging.md 9). */
import { z } from 'zod';
import type { RouteDescription } from '../../http/routes/route-description.js';
import {
  headerMapSchema as headerMap,
  milliseconds,
  originQuery,
  several,
} from '../messages/message-schema.js';
import { logStates } from './log-entry.js';
import type { LogRow } from './log-row.js';

/** A row; both spellings of a field stand where clients read either. */
export const logRowSchema = z.object({
  time: milliseconds,
  state: z.enum(logStates),
  messageId: z.string(),
  url: z.string(),
  method: z.string(),
  maxRetries: z.int(),
  header: headerMap,
  body: z.string().describe('Base64, or REDACTED: and a digest').optional(),
  nextDeliveryTime: milliseconds.describe('Of the next attempt, or of the last one'),
  error: z.string().optional(),
  responseStatus: z.int().optional(),
  responseHeader: headerMap.optional(),
  responseHeaders: headerMap.optional(),
  responseBody: z.string().optional(),
  responseBodyBase64: z.string().describe('Of a response that is no UTF-8').optional(),
  topicName: z.string().optional(),
  endpointName: z.string().optional(),
  queueName: z.string().optional(),
  scheduleId: z.string().optional(),
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
} satisfies Record<keyof LogRow, z.ZodType>);

const stateWords = [...logStates, 'CANCELLED', 'IN_PROGRESS'] as const;

/** What both names of the listing take. */
const query = z.object({
  cursor: z.string().describe('Of the page before').optional(),
  count: z.int().min(1).max(1000).default(100).optional(),
  order: z.enum(['latestFirst', 'earliestFirst']).default('latestFirst').optional(),
  messageId: several,
  messageIds: several,
  state: z.array(z.enum(stateWords)).optional(),
  host: several,
  path: several,
  ...originQuery,
});

const cursor = z.string().describe('Absent on the last page').optional();

export const logsRoute: RouteDescription = {
  summary: 'Pages of what happened to messages',
  query,
  answers: {
    200: {
      description: 'Rows, the newest first unless asked otherwise',
      schema: z.object({ cursor, logs: z.array(logRowSchema) }),
    },
  },
};

export const eventsRoute: RouteDescription = {
  summary: 'The same rows as of /v2/logs, by another name',
  query,
  answers: {
    200: {
      description: 'Rows, the newest first unless asked otherwise',
      schema: z.object({ cursor, events: z.array(logRowSchema) }),
    },
  },
};
