/** Descriptions of the routes of a cluster node. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** The schema of `ClusterStatus`; the overview of a server includes it, too. */
export const clusterStatusSchema = once(() =>
  z
    .object({
      node: z.string().describe('The address at which other nodes reach this one'),
      version: z.string().describe("Of this node's program"),
      role: z
        .enum(['follower', 'taking', 'owner'])
        .describe('taking: the log is its own, and it does not serve yet'),
      epoch: z.int().describe('Of the owner, counted from 1; 0 before the first one'),
      owner: z.string().nullable().describe('The address of the owner; null = none is known'),
      place: z.int().describe('Up to here this node has read the shared log'),
      sequence: z.int().describe('The last batch that counts there'),
      appliedSequence: z.int().describe('The last batch that its folder and memory hold'),
      heardMsAgo: z.number().describe('Since the owner was heard, or proved that it is one'),
      clockSkewMs: z
        .number()
        .nullable()
        .describe("By how much its clock is ahead of the shared log's; null = not known"),
      commitMs: z.number().nullable().describe('Of the last append; null on a follower'),
      followers: z
        .array(
          z.object({
            node: z.string().describe('The address at which other nodes reach it'),
            behind: z.int().describe('Entries that its folder did not have when it was heard'),
            heardMsAgo: z.number().describe('Since it said so, as it does every 5 s'),
            version: z.string().nullable().describe('Of its program; null = not known'),
          }),
        )
        .nullable()
        .describe('Those that follow, as the owner hears them; null on a follower'),
    })
    .meta({ id: 'ClusterStatus' }),
);

/**
 * The routes of `/admin/cluster`. Each node answers them itself: they concern that node, not the
 * owner.
 */
export const clusterRoutes = {
  show: {
    summary: 'How this node of a cluster stands, whether it serves or not',
    isOfNode: true,
    refuses: [404],
    answers: { 200: { description: 'What it knows now', schema: clusterStatusSchema } },
  },
  handOver: {
    summary: 'Let another node take over from the owner, whose process ends with exit code 75',
    changes: false,
    refuses: [404, 409],
    answers: {
      202: {
        description: 'It serves until its attempts in flight have ended',
        schema: clusterStatusSchema,
      },
    },
  },
} satisfies Record<string, RouteDescription>;
