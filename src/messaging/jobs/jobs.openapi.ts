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
      rate: z.number().describe('A second; absent = it is not limited').exactOptional(),
      state: z
        .enum(jobStates)
        .describe('QUEUED: others run before it; FAILED: it could not go on, `reason` says why'),
      matched: z.int().describe('Met so far: done and refused'),
      done: z.int(),
      refused: z.int(),
      refusals: z
        .array(z.object({ id: z.string(), reason: z.string() }))
        .describe('The first 20 that were refused'),
      startedAt: time(),
      endedAt: time().exactOptional(),
      reason: z.string().describe('Why it could not go on').exactOptional(),
      by: z
        .object({ name: z.string().nullable(), address: z.string(), requestId: z.string() })
        .nullable()
        .describe('Who asked for it'),
    } satisfies Record<keyof JobObject, z.ZodType>)
    .meta({ id: 'Job' }),
);

const dryRun = once(() =>
  z
    .object({
      state: z.literal('DRY_RUN'),
      verb: z.string(),
      over: z.string(),
      matched: z.int().describe('How many it would take of those that were looked at'),
      items: z.array(z.string()).describe('The ids of the first 100 of them'),
      cursor: z.string().describe('Goes on there; absent = all were looked at').exactOptional(),
    } satisfies Record<keyof JobDryRun, z.ZodType>)
    .meta({ id: 'DryRun' }),
);

/** The routes of `/v2/jobs`; 409 if too many jobs have not ended. */
export const jobRoutes = {
  create: {
    summary: 'Retry, resume, restart, cancel or delete all that filters match, at a rate',
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
      200: { description: 'A dry run: what it would take', schema: dryRun },
      202: { description: 'It has begun', schema: job },
    },
  },
  list: {
    summary: 'Jobs, those that ended in the last seven days included',
    isLong: true,
    asOf: true,
    query: () =>
      z.object({
        count: z.int().min(1).max(100).default(100).optional(),
        cursor: z.string().describe('Of the page before').optional(),
      }),
    answers: {
      200: {
        description: 'The newest first',
        schema: () =>
          z.object({
            jobs: z.array(job()),
            total: z.int().describe('How many there are on all pages'),
            cursor: z.string().describe('Absent on the last page').exactOptional(),
          }),
      },
    },
  },
  show: {
    summary: 'How far a job has come',
    asOf: true,
    answers: { 200: { description: 'The job', schema: job } },
  },
  abort: {
    summary: 'Have a job take no more; what it has taken stays taken',
    refuses: [409],
    answers: { 200: { description: 'It is aborted', schema: job } },
  },
} satisfies Record<string, RouteDescription>;
