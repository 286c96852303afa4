/** Descriptions of the routes of a cluster node. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';

/** The schema of `ClusterStatus`; the overview of a server includes it, too. */
export const clusterStatusSchema = once(() =>
  z
    .object({
      node: z.string().describe('The address at which other nodes reach this one'),
      version: z.string().describe('Version of the program on this node'),
      role: z
        .enum(['follower', 'taking', 'owner'])
        .describe('taking: the node owns the log but does not serve yet'),
      epoch: z.int().describe('Epoch of the owner, counted from 1; 0 before the first owner'),
      owner: z.string().nullable().describe('Address of the owner; null = no owner is known'),
      place: z.int().describe('Place up to which this node has read the shared log'),
      sequence: z.int().describe('The last valid batch up to that place'),
      appliedSequence: z
        .int()
        .describe('The last batch that the folder and memory of this node hold'),
      heardMsAgo: z
        .number()
        .describe('Milliseconds since the owner was heard, or proved that it is the owner'),
      clockSkewMs: z
        .number()
        .nullable()
        .describe(
          'How far the clock of this node is ahead of that of the shared log; null = unknown',
        ),
      commitMs: z.number().nullable().describe('Duration of the last append; null on a follower'),
      followers: z
        .array(
          z.object({
            node: z.string().describe('The address at which other nodes reach the follower'),
            behind: z
              .int()
              .describe('Entries that the folder of the follower lacked at its last report'),
            heardMsAgo: z
              .number()
              .describe('Milliseconds since that report; followers report every 5 s'),
            version: z
              .string()
              .nullable()
              .describe('Version of the program on the follower; null = unknown'),
          }),
        )
        .nullable()
        .describe('The followers that report to the owner; null on a follower'),
    })
    .meta({ id: 'ClusterStatus' }),
);

/**
 * The routes of `/admin/cluster`. Each node answers them itself: they concern that node, not the
 * owner.
 */
export const clusterRoutes = {
  show: {
    summary: 'Get the state of this cluster node, even if it does not serve',
    isOfNode: true,
    refuses: [404],
    answers: {
      200: { description: 'The state as the node knows it now', schema: clusterStatusSchema },
    },
  },
  handOver: {
    summary:
      'Hand the shared log over to another node; the process of the owner ends with exit code 75',
    changes: false,
    refuses: [404, 409],
    answers: {
      202: {
        description: 'The owner serves until its attempts in flight have ended',
        schema: clusterStatusSchema,
      },
    },
  },
} satisfies Record<string, RouteDescription>;
