/** Parses seeks (topics.md 4.6). */
import { z } from 'zod';
import { ok, type Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import type { OffsetTarget } from '../offsets/offset-target.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { listOf } from './offsets.request.js';

const place = { topic: z.string(), partition: z.int().min(0) };

/** One item of the body of `/seek/{group}/{instance}`, with an offset, a timestamp or an end. */
export const seekSchema = z.union([
  z.strictObject({ ...place, offset: z.int().min(0) }),
  z.strictObject({ ...place, timestamp: z.int().min(0) }),
  z.strictObject({ ...place, earliest: z.literal(true) }),
  z.strictObject({ ...place, latest: z.literal(true) }),
]);

/** A partition, and where to read it from. */
export interface Seek extends TopicPartition {
  readonly target: OffsetTarget;
}

const targets = ['offset', 'timestamp', 'earliest', 'latest'] as const;

/** Zod would otherwise name a field of the first choice, whatever was given. */
const oneTarget = z
  .looseObject(place)
  .refine((seek) => targets.filter((name) => (seek[name] ?? false) !== false).length === 1, {
    error: 'must have one of offset, timestamp, "earliest": true and "latest": true',
  });

const seeks = listOf(oneTarget.pipe(seekSchema));

/** Parses one seek or a list of seeks; the reason of a refusal names the field. */
export function parseSeeks(body: Buffer): Result<readonly Seek[]> {
  const listed = readJsonBody(body, seeks);
  return listed.ok ? ok(listed.value.map(seekOf)) : listed;
}

function seekOf({ topic, partition, ...to }: z.output<typeof seekSchema>): Seek {
  if ('earliest' in to) return { topic, partition, target: 'earliest' };
  return { topic, partition, target: 'latest' in to ? 'latest' : to };
}
