/**
 * Parses the body that creates a subscription; the options of its messages are in the headers.
 * Pure.
 */
import { z } from 'zod';
import { parseName } from '../../grammar/name.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { maxRecordsMax } from './subscription.decider.js';

/** The body of `POST /admin/subscriptions`, also used in the OpenAPI document. */
export const subscriptionRequest = z.strictObject({
  name: z.string(),
  topic: z.string(),
  destination: z.string().describe('A URL, or the name of a URL group'),
  from: z
    .enum(['earliest', 'latest'])
    .default('latest')
    .describe('Whether to start with the oldest record or with the next one'),
  maxRecords: z
    .int()
    .min(1)
    .max(maxRecordsMax)
    .default(1)
    .describe(
      'Maximum number of records per message. 1: the body is the value of a record, byte for ' +
        'byte, and Stream-* headers name its position; more: the body is a JSON array of ' +
        'records like answers of /fetch',
    ),
  encoding: z
    .enum(['text', 'base64'])
    .default('text')
    .describe('Encoding of keys, values and header values in that array'),
});

/** A subscription as a request describes it. */
export type SubscriptionRequest = z.output<typeof subscriptionRequest>;

/** Parses the fields of a subscription; the name of the topic is checked by the topics. */
export function parseSubscription(body: Buffer): Result<SubscriptionRequest> {
  const request = readJsonBody<SubscriptionRequest>(body, subscriptionRequest);
  if (!request.ok) return request;
  const { name, maxRecords, encoding } = request.value;
  const known = parseName(name);
  if (!known.ok) return refused(`name ${known.message}`);
  if (maxRecords === 1 && encoding === 'base64') {
    return refused('encoding: a record of its own is delivered as bytes, not as JSON');
  }
  return ok(request.value);
}
