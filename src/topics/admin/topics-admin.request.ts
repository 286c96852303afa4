/**
 * Parses requests to administer topics. Fields may have the names of this interface or those of the
 * hosted service's control plane (topics.md 5.1), but the same field may not be given under both.
 */
import { z } from 'zod';
import type { Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import type { AlterTopic, CreateTopic } from '../topics/topic.commands.js';
import {
  type CleanupPolicy,
  type TopicRetention,
  type Trim,
  unlimited,
} from '../topics/topic.events.js';

/** A topic to be created. */
export interface NewTopic {
  readonly name: string;
  readonly settings: Pick<
    CreateTopic,
    'type' | 'partitions' | 'retentionMs' | 'retentionBytes' | 'cleanupPolicy'
  >;
}

/** A topic to be changed. */
export type TopicChange = Pick<AlterTopic, 'type' | 'changes'>;

const purgesMax = 1024;

const policy = z.enum(['delete', 'compact']);
const retention = {
  retentionMs: z.int().nullish(),
  retention_time: z.int().nullish(),
  retentionBytes: z.int().nullish(),
  retention_size: z.int().nullish(),
};
type Retention = z.infer<z.ZodObject<typeof retention>>;

const creation = z.strictObject({
  name: z.string(),
  partitions: z.int().nullish(),
  ...retention,
  cleanupPolicy: policy.nullish(),
  cleanup_policy: policy.nullish(),
});

const fixed = z.never('is fixed when a topic is created').optional();
const alteration = z.strictObject({
  partitions: z.int().optional(),
  ...retention,
  cleanupPolicy: fixed,
  cleanup_policy: fixed,
  name: fixed,
});

const offset = z.int().min(0, 'must not be negative');
const purge = z.strictObject({ partition: offset, before: offset });

/** The body of `POST /admin/topics`; `partitions` is the default number of partitions. */
export function parseCreation(body: Buffer, partitions: number): Result<NewTopic> {
  const schema = creation.transform((fields, context): NewTopic => {
    const chosen = retentionIn(fields, context);
    const cleanupPolicy: CleanupPolicy =
      oneOf(fields, 'cleanupPolicy', 'cleanup_policy', context) ?? 'delete';
    return {
      name: fields.name,
      settings: {
        type: 'CreateTopic',
        partitions: fields.partitions ?? partitions,
        retentionMs: chosen.retentionMs ?? null,
        retentionBytes: chosen.retentionBytes ?? unlimited,
        cleanupPolicy,
      },
    };
  });
  return readJsonBody(body, schema);
}

/**
 * The body of `PATCH /admin/topics/{name}`: absent fields stay unchanged; null means the configured
 * default.
 */
export function parseAlteration(body: Buffer): Result<TopicChange> {
  const schema = alteration.transform((fields, context): TopicChange => {
    const { partitions } = fields;
    const changes = {
      ...retentionIn(fields, context),
      ...(partitions !== undefined && { partitions }),
    };
    return { type: 'AlterTopic', changes };
  });
  return readJsonBody(body, schema);
}

/** The body of `POST /admin/topics/{name}/purge`: one partition, or an array of partitions. */
export function parsePurge(body: Buffer): Result<readonly Trim[]> {
  const schema = z
    .union([purge.transform((one) => [one]), z.array(purge).min(1).max(purgesMax)])
    .refine((trims) => new Set(trims.map(({ partition }) => partition)).size === trims.length, {
      error: 'the body names a partition twice',
    });
  return readJsonBody(body, schema);
}

function retentionIn(fields: Retention, context: z.RefinementCtx): Partial<TopicRetention> {
  const retentionMs = oneOf(fields, 'retentionMs', 'retention_time', context);
  const retentionBytes = oneOf(fields, 'retentionBytes', 'retention_size', context);
  return {
    ...(retentionMs !== undefined && { retentionMs }),
    ...(retentionBytes !== undefined && { retentionBytes: retentionBytes ?? unlimited }),
  };
}

function oneOf<Fields, Ours extends keyof Fields, Theirs extends keyof Fields>(
  fields: Fields,
  ours: Ours,
  theirs: Theirs,
  context: z.RefinementCtx,
): Fields[Ours] | Fields[Theirs] {
  if (fields[ours] !== undefined && fields[theirs] !== undefined) {
    context.addIssue(`${String(ours)} and ${String(theirs)} are the same`);
  }
  return fields[ours] === undefined ? fields[theirs] : fields[ours];
}
