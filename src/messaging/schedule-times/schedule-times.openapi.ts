/** Describes the routes for next times, past results and manual triggers (messaging.md 7.1). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { milliseconds } from '../messages/message-schema.js';
import type { ManualTrigger } from '../schedules/schedule-publisher.js';
import { scheduledMessageStates } from '../schedules/scheduled-messages.projection.js';
import type { ScheduleResult } from './schedule-results.js';
import { previewSchema } from './schedule-times.request.js';

const cronTimes = once(() =>
  z.object({
    cron: z
      .string()
      .describe('The expression as a schedule stores it, including its CRON_TZ= part'),
    zone: z.string(),
    times: z.array(milliseconds).readonly(),
  }),
);

/** The next times of a cron expression. */
export type CronTimes = z.output<ReturnType<typeof cronTimes>>;

const result = once(() =>
  z.object({
    time: milliseconds,
    dueAt: milliseconds.describe('When the trigger was due, or requested if it is a manual one'),
    isManual: z.boolean(),
    messageCount: z.int(),
    states: z
      .record(z.string(), z.enum(scheduledMessageStates))
      .describe(
        'States of the first ten messages by id, except those already removed by retention',
      ),
    error: z.string().describe('Why the trigger published nothing').exactOptional(),
  } satisfies Record<keyof ScheduleResult, z.ZodType>),
);

/** Describes `POST /v2/schedules/preview`. */
export const previewRoute: RouteDescription = {
  summary: 'Show when a cron expression is due, or why it is invalid',
  changes: false,
  body: {
    isRequired: true,
    example: { cron: '0 9 * * 1-5', zone: 'Europe/Berlin' },
    schema: () => previewSchema,
  },
  answers: {
    200: { description: 'The next times at which the expression is due', schema: cronTimes },
  },
};

/** Describes `GET /v2/schedules/{id}/next`. */
export const nextRoute: RouteDescription = {
  summary: 'Show when a schedule triggers next',
  query: () =>
    z.object({
      count: z.int().min(1).max(1000).default(5).optional(),
      from: milliseconds.describe('Unix milliseconds; default now').optional(),
    }),
  answers: {
    200: {
      description:
        'The next times of the schedule, including those that it skips while it is paused',
      schema: () => cronTimes().extend({ scheduleId: z.string(), isPaused: z.boolean() }),
    },
  },
};

/** Describes `GET /v2/schedules/{id}/results`. */
export const resultsRoute: RouteDescription = {
  summary: 'Show the results of the latest triggers of a schedule',
  query: () => z.object({ count: z.int().min(1).max(50).default(10).optional() }),
  answers: {
    200: {
      description: 'The results, newest first',
      schema: () => z.object({ scheduleId: z.string(), results: z.array(result()) }),
    },
  },
};

/** Describes `POST /v2/schedules/{id}/trigger`. */
export const triggerRoute: RouteDescription = {
  summary: 'Trigger a schedule now, in addition to its regular times',
  answers: {
    200: {
      description: 'The messages that were published',
      schema: () =>
        z.object({
          scheduleId: z.string(),
          messageIds: z.array(z.string()),
        } satisfies Record<keyof ManualTrigger, z.ZodType>),
    },
  },
};
