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
    .describe('Whether it begins with the oldest record, or with the next one'),
  maxRecords: z
    .int()
    .min(1)
    .max(maxRecordsMax)
    .default(1)
    .describe(
      'Of one message. 1: its body is the value of a record, byte for byte, and Stream-* headers ' +
        'say where it stands; more: its body is a JSON array of records as /fetch answers them',
    ),
  encoding: z
    .enum(['text', 'base64'])
    .default('text')
    .describe('Of keys, values and header values in that array'),
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
