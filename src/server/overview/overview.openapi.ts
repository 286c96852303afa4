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
      startedAt: z.int().describe('When the process started, Unix milliseconds'),
      version: z.string(),
      state: z.string().describe('The state that /health/ready reports'),
      reason: z.string().nullable(),
      warnings: z.array(z.string()).optional(),
      durability: z
        .enum(['fsync', 'os', 'replicated'])
        .describe('What an acknowledgement of a write guarantees'),
      cluster: clusterStatusSchema()
        .nullable()
        .describe('State of this cluster node; null = the server is not part of a cluster'),
      numbers: z
        .record(z.string(), z.number())
        .describe('Current values of all gauges of /admin/series'),
      backlog: z.object({
        pending: z.int().describe('Messages that are not final'),
        inFlight: z.int().describe('Attempts that are in flight'),
        later: z.int().describe('Messages that are delayed, or wait for their next retry'),
        waiting: z
          .record(z.string(), z.int())
          .describe('Attempts held back, by the limit that they wait for'),
      }),
      schedules: z.object({
        count: z.int(),
        isComplete: z
          .boolean()
          .describe('Whether all schedules were examined to find the next triggers'),
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
          'The ten origins with the most failed attempts in the last 24 hours of this process',
        ),
      disk: z.object({
        availableBytes: z
          .number()
          .nullable()
          .describe('null = the query failed or took longer than a second'),
        totalBytes: z.number().nullable(),
        journalBytes: z.number(),
        daysLeft: z
          .number()
          .nullable()
          .describe(
            'Days until the disk is full, at the rate of the last day; null = not filling up',
          ),
      }),
    })
    .meta({ id: 'Overview' }),
);

const settingSchema = once(() =>
  z
    .object({
      variable: z.string(),
      value: z.string().nullable().describe('null = not set, or a secret'),
      isSecret: z.boolean(),
      source: z.enum(['default', 'environment', 'option', 'file', 'generated', 'published']),
    })
    .meta({ id: 'Setting' }),
);

/** The routes, for their controller; the table of series says what each series means. */
export const overviewRoutes = {
  overview: {
    summary: 'Get an overview of the state of the server',
    answers: { 200: { description: 'The state of the server now', schema: overviewSchema } },
  },
  series: {
    summary: 'Get the measurements of the last day, minute by minute',
    query: () =>
      z.object({
        names: z.string().describe(`Comma separated; default all. ${meanings}`).optional(),
        from: z.int().describe('Unix milliseconds; default and earliest: a day ago').optional(),
        step: z.string().describe('A duration in whole minutes, default 1m').optional(),
      }),
    answers: {
      200: {
        description: 'A value for each step, including the current one; null = unknown',
        schema: () =>
          z.object({
            from: z.int().describe('Start of the first step, Unix milliseconds'),
            stepMs: z.int(),
            series: z.record(z.string(), z.array(z.number().nullable())),
          }),
      },
    },
  },
  config: {
    summary: 'List every setting, its value, and where it came from',
    answers: {
      200: { description: 'The settings, without secrets', schema: () => z.array(settingSchema()) },
    },
  },
  build: {
    summary: 'Get the version of the program and what it runs on',
    answers: {
      200: {
        description: 'The program and its environment',
        schema: () =>
          z.object({
            version: z.string(),
            build: z.string().describe('Digest of the sources, or else the version'),
            node: z.string(),
            platform: z.string(),
            architecture: z.string(),
            pid: z.int(),
            clients: z
              .array(z.object({ name: z.string(), requests: z.int() }))
              .describe(
                'SDKs that have sent requests since the start, by the names they give; at most 32',
              ),
          }),
      },
    },
  },
} satisfies Record<string, RouteDescription>;
