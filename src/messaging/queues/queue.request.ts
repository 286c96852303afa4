/** Turns an upsert of a queue from the wire into its command (messaging.md 5). */
import { z } from 'zod';
import { parseName } from '../../grammar/name.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { queueKind, type UpsertQueue } from './queue.commands.js';

const upsert = z.strictObject({
  queueName: z.string(),
  parallelism: z.int().min(1).optional(),
  paused: z.boolean().optional(),
});

/** Parses `{"queueName", "parallelism"?, "paused"?}`: absent fields keep their values. */
export function parseUpsert(body: Buffer, at: number): Result<UpsertQueue> {
  const upserted = readJsonBody(body, upsert);
  if (!upserted.ok) return upserted;
  const { queueName, parallelism = null, paused = null } = upserted.value;
  const name = parseName(queueName);
  if (!name.ok) return refused(`queueName ${name.message}`);
  return ok({
    type: 'UpsertQueue',
    kind: queueKind,
    id: name.value,
    at,
    parallelism,
    isPaused: paused,
  });
}
