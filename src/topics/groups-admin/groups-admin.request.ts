/** Parses the body of a reset of offsets (topics.md 5.2). */
import { z } from 'zod';
import type { Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { offsetTargetSchema } from '../offsets/offset-target.js';

/** The body of `/admin/groups/{group}/offsets`. */
export const offsetResetSchema = z.strictObject({
  topic: z.string(),
  partition: z.int().min(0).optional().describe('Default: all partitions of the topic'),
  to: offsetTargetSchema,
  dryRun: z.boolean().optional().describe('true: answers the offsets and changes nothing'),
});
/** What `offsetResetSchema` describes. */
export type OffsetResetRequest = z.output<typeof offsetResetSchema>;

/** Parses the body; the reason of a refusal names the field. */
export function parseOffsetReset(body: Buffer): Result<OffsetResetRequest> {
  return readJsonBody(body, offsetResetSchema);
}
