/** Describes the routes of jobs (messaging.md 13). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { jobSchema } from './job.request.js';
import { type JobObject, jobStates } from './job-object.js';
import type { JobDryRun } from './jobs.service.js';

const time = once(() => z.int().describe('Unix milliseconds'));

const job = once(() =>
  z
    .object({
      jobId: z.string(),
      verb: z.string(),
      over: z.string(),
      filter: z.record(z.string(), z.array(z.string())),
      rate: z.number().describe('Items per second; absent = no limit').exactOptional(),
      state: z
        .enum(jobStates)
        .describe('QUEUED: other jobs run first; FAILED: the job could not continue, see `reason`'),
      matched: z.int().describe('Items processed so far, both done and refused'),
      done: z.int(),
      refused: z.int(),
      refusals: z
        .array(z.object({ id: z.string(), reason: z.string() }))
        .describe('The first 20 items that were refused'),
      startedAt: time(),
      endedAt: time().exactOptional(),
      reason: z.string().describe('Why the job could not continue').exactOptional(),
      by: z
        .object({ name: z.string().nullable(), address: z.string(), requestId: z.string() })
        .nullable()
        .describe('The caller that created the job'),
    } satisfies Record<keyof JobObject, z.ZodType>)
    .meta({ id: 'Job' }),
);

const dryRun = once(() =>
  z
    .object({
      state: z.literal('DRY_RUN'),
      verb: z.string(),
      over: z.string(),
      matched: z.int().describe('How many of the examined items the job would process'),
      items: z.array(z.string()).describe('The ids of the first 100 of these items'),
      cursor: z
        .string()
        .describe('Continues the dry run; absent = every item was examined')
        .exactOptional(),
    } satisfies Record<keyof JobDryRun, z.ZodType>)
    .meta({ id: 'DryRun' }),
);

/** The routes of `/v2/jobs`; 409 if too many jobs have not ended. */
export const jobRoutes = {
  create: {
    summary:
      'Retry, resume, restart, cancel or delete everything that matches filters, at a limited rate',
    body: {
      isRequired: true,
      example: {
        verb: 'retry',
        over: 'deadLetters',
        filter: { label: 'blue' },
        rate: '50/s',
        dryRun: true,
      },
      schema: () => jobSchema,
    },
    refuses: [409],
    answers: {
      200: { description: 'For a dry run: what the job would process', schema: dryRun },
      202: { description: 'The job was created', schema: job },
    },
  },
  list: {
    summary: 'List jobs, including those that ended in the last seven days',
    isLong: true,
    asOf: true,
    query: () =>
      z.object({
        count: z.int().min(1).max(100).default(100).optional(),
        cursor: z.string().describe('The cursor of the previous page').optional(),
      }),
    answers: {
      200: {
        description: 'The jobs, newest first',
        schema: () =>
          z.object({
            jobs: z.array(job()),
            total: z.int().describe('Number of jobs on all pages'),
            cursor: z.string().describe('Absent on the last page').exactOptional(),
          }),
      },
    },
  },
  show: {
    summary: 'Get a job and its progress',
    asOf: true,
    answers: { 200: { description: 'The job', schema: job } },
  },
  abort: {
    summary:
      'Abort a job: it processes no more items, and those that it has processed stay as they are',
    refuses: [409],
    answers: { 200: { description: 'The aborted job', schema: job } },
  },
} satisfies Record<string, RouteDescription>;
