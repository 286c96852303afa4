/** Descriptions of the routes that show the state of the server. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { originFailureSchema } from '../../messaging/origins/origins.openapi.js';
import { clusterStatusSchema } from '../cluster-http/cluster.openapi.js';
import { seriesNames, seriesTable } from './series-table.js';

const meanings = seriesNames.map((name) => `${name}: ${seriesTable[name].meaning}`).join('; ');

/** The answer of `GET /admin/overview`. */
const overviewSchema = once(() =>
  z
    .object({
      at: z.int().describe('Unix milliseconds'),
      startedAt: z.int().describe('When the process began, Unix milliseconds'),
      version: z.string(),
      state: z.string().describe('As /health/ready answers it'),
      reason: z.string().nullable(),
      warnings: z.array(z.string()).optional(),
      durability: z.enum(['fsync', 'os', 'replicated']).describe('What an acknowledgement means'),
      cluster: clusterStatusSchema()
        .nullable()
        .describe('How its node of a cluster stands; null = it is none'),
      numbers: z
        .record(z.string(), z.number())
        .describe('The levels of /admin/series as they are now'),
      backlog: z.object({
        pending: z.int().describe('Messages that are not final'),
        inFlight: z.int().describe('Attempts that are under way'),
        later: z.int().describe('Neither under way nor held back: delayed, or tried again later'),
        waiting: z.record(z.string(), z.int()).describe('Held back, by the limit that does so'),
      }),
      schedules: z.object({
        count: z.int(),
        isComplete: z.boolean().describe('All of them were looked at for what fires next'),
        next: z.array(z.object({ scheduleId: z.string(), at: z.int() })),
      }),
      origins: z
        .array(
          z.object({
            origin: z.string(),
            failed: z.int(),
            succeeded: z.int(),
            lastFailure: originFailureSchema().nullable(),
            pausedAt: z.int().nullable().describe('Unix milliseconds'),
          }),
        )
        .describe(
          'The ten to which most attempts have failed in the last 24 hours of this process',
        ),
      disk: z.object({
        availableBytes: z
          .number()
          .nullable()
          .describe('null = the disk has failed to say, or has not answered within a second'),
        totalBytes: z.number().nullable(),
        journalBytes: z.number(),
        daysLeft: z
          .number()
          .nullable()
          .describe('Until it is full, at the pace of the last day; null = it is not getting less'),
      }),
    })
    .meta({ id: 'Overview' }),
);

const settingSchema = once(() =>
  z
    .object({
      variable: z.string(),
      value: z.string().nullable().describe('null = nothing is set, or it is a secret'),
      isSecret: z.boolean(),
      source: z.enum(['default', 'environment', 'option', 'file', 'generated', 'published']),
    })
    .meta({ id: 'Setting' }),
);

/** The routes, for their controller; the table of series says what each series means. */
export const overviewRoutes = {
  overview: {
    summary: 'How the server is, in one look',
    answers: { 200: { description: 'Its numbers now', schema: overviewSchema } },
  },
  series: {
    summary: 'What was measured, minute by minute, for a day',
    query: () =>
      z.object({
        names: z.string().describe(`Comma separated; default all. ${meanings}`).optional(),
        from: z.int().describe('Unix milliseconds; default and at most a day ago').optional(),
        step: z.string().describe('A duration in whole minutes, default 1m').optional(),
      }),
    answers: {
      200: {
        description: 'A value for each step, the current one too; null = nothing is known',
        schema: () =>
          z.object({
            from: z.int().describe('Where the first step begins, Unix milliseconds'),
            stepMs: z.int(),
            series: z.record(z.string(), z.array(z.number().nullable())),
          }),
      },
    },
  },
  config: {
    summary: 'Every setting, its value, and where it came from',
    answers: { 200: { description: 'Without secrets', schema: () => z.array(settingSchema()) } },
  },
  build: {
    summary: 'What runs here',
    answers: {
      200: {
        description: 'The program and what it runs on',
        schema: () =>
          z.object({
            version: z.string(),
            build: z.string().describe('Digest of the sources, or the version'),
            node: z.string(),
            platform: z.string(),
            architecture: z.string(),
            pid: z.int(),
            clients: z
              .array(z.object({ name: z.string(), requests: z.int() }))
              .describe(
                'SDKs that have asked since the start, as they name themselves; at most 32',
              ),
          }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
