/** Bodies of resets by operators and of seeks by readers, as they stand on the wire. */
import { z } from 'zod';
import { ok, type Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { type OffsetTarget, offsetTargetSchema } from '../offsets/offset-target.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { listOf } from './offsets.request.js';

const place = { topic: z.string(), partition: z.int().min(0) };

/** The body of `/admin/groups/{group}/offsets`. */
export const offsetResetSchema = z.strictObject({
  ...place,
  partition: place.partition.optional().describe('All of the topic without it'),
  to: offsetTargetSchema,
  dryRun: z.boolean().optional().describe('true: answer the offsets, change nothing'),
});
/** What `offsetResetSchema` describes. */
export type OffsetResetRequest = z.output<typeof offsetResetSchema>;

/** One item of the body of `/seek/{group}/{instance}`: one of offset, timestamp and an end. */
export const seekSchema = z.union([
  z.strictObject({ ...place, offset: z.int().min(0) }),
  z.strictObject({ ...place, timestamp: z.int().min(0) }),
  z.strictObject({ ...place, earliest: z.literal(true) }),
  z.strictObject({ ...place, latest: z.literal(true) }),
]);

/** Where a partition is to be read from. */
export interface Seek extends TopicPartition {
  readonly target: OffsetTarget;
}

const seeks = listOf(seekSchema);

/** Refuses what is not understood; the reason names the field. */
export function parseOffsetReset(body: Buffer): Result<OffsetResetRequest> {
  return readJsonBody(body, offsetResetSchema);
}

/** Takes one seek or a list of them; the reason of a refusal names the field. */
export function parseSeeks(body: Buffer): Result<readonly Seek[]> {
  const listed = readJsonBody(body, seeks);
  return listed.ok ? ok(listed.value.map(seekOf)) : listed;
}

function seekOf({ topic, partition, ...to }: z.output<typeof seekSchema>): Seek {
  if ('earliest' in to) return { topic, partition, target: 'earliest' };
  return { topic, partition, target: 'latest' in to ? 'latest' : to };
}
