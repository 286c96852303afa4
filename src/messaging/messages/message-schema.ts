/** The shapes of messages on the wire, as every listing describes them. */
import { z } from 'zod';
import type { OriginFilters } from './message-filter.js';
import type { MessageObject } from './message-object.js';

/** Unix milliseconds. */
export const milliseconds = z.int().describe('Unix milliseconds');

/** On a page that ended early because of what it cost, and was not the last. */
export const searchedToSchema = milliseconds
  .describe('The search reached its cost limit and stopped at this time; the cursor continues it')
  .optional();

/** Maps header names in Title-Case to their values. */
export const headerMapSchema = z.record(z.string(), z.array(z.string()));

/** Options of a message, or of a template from which messages are published repeatedly. */
const optionFields = {
  callback: z.string().exactOptional(),
  callbackHeader: headerMapSchema.exactOptional(),
  failureCallback: z.string().exactOptional(),
  failureCallbackHeader: headerMapSchema.exactOptional(),
  queueName: z.string().exactOptional(),
  callerIP: z.string(),
  callerIp: z.string().describe('The same as callerIP'),
  label: z.string().describe('The first of labels').exactOptional(),
  labels: z.array(z.string()).readonly().exactOptional(),
  flowControlKey: z.string().exactOptional(),
  parallelism: z.int().exactOptional(),
  rate: z.int().exactOptional(),
  period: z.int().describe('Seconds').exactOptional(),
  retryDelayExpression: z.string().exactOptional(),
};

/** The body of a message: one of the two fields, or neither. */
export const bodyFields = {
  body: z.string().exactOptional(),
  bodyBase64: z.string().describe('Instead of body, if the body is not UTF-8').exactOptional(),
};

/** How a message was published, apart from its destination; for messages and dead letters. */
const publishedFields = { ...bodyFields, ...optionFields };

/** The shape of a template from which messages are published repeatedly: see `templateFields`. */
export const templateShape = {
  method: z.string(),
  header: headerMapSchema,
  retries: z.int(),
  delay: z.int().describe('Seconds').exactOptional(),
  timeout: z.int().describe('Seconds').exactOptional(),
  ...optionFields,
};

/** The message object (messaging.md 2.4). */
export const messageSchema = z
  .object({
    messageId: z.string(),
    url: z.string(),
    method: z.string(),
    topicName: z.string().describe('Name of a URL group').exactOptional(),
    endpointName: z.string().exactOptional(),
    header: headerMapSchema,
    maxRetries: z.int(),
    notBefore: milliseconds,
    createdAt: milliseconds,
    scheduleId: z.string().exactOptional(),
    sourceMessageId: z
      .string()
      .describe('Only on callbacks: the message that the callback reports on')
      .exactOptional(),
    ...publishedFields,
  } satisfies Record<keyof MessageObject, z.ZodType>)
  .meta({ id: 'Message' });

/** A filter that takes several values: repeated, or separated by commas. */
export const several = z.array(z.string()).optional();

/** The query parameters that `originFilters` reads. */
export const originQuery = {
  url: several,
  topicName: several,
  queueName: several,
  scheduleId: several,
  label: several,
  flowControlKey: several,
  callerIp: several,
  sourceMessageId: several.describe('Callbacks that report on these messages'),
  fromDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
  toDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
} satisfies Partial<Record<keyof OriginFilters, z.ZodType>>;
