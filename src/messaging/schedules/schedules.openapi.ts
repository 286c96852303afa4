/** Describes the object of a schedule and the routes of schedules (messaging.md 7). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { ShownBody } from '../messages/message-object.js';
import { bodyFields, milliseconds, templateShape } from '../messages/message-schema.js';
import type { scheduleListFilters } from './schedule-list.request.js';
import { scheduledMessageStates } from './scheduled-messages.projection.js';

/** Absent values are left out, not null. */
const scheduleSchema = once(() =>
  z
    .object({
      scheduleId: z.string(),
      cron: z
        .string()
        .describe('The expression as it was given, trimmed, including its CRON_TZ= part'),
      destination: z.string().describe('A URL, or the name of a URL group'),
      createdAt: milliseconds.describe(
        'Unix milliseconds; overwriting the schedule does not change it',
      ),
      ...templateShape,
      ...bodyFields,
      isPaused: z.boolean(),
      lastScheduleTime: milliseconds.describe('Absent before the first trigger').optional(),
      lastScheduleStates: z
        .record(z.string(), z.enum(scheduledMessageStates))
        .describe('States of the messages of the last trigger, by id')
        .optional(),
      nextScheduleTime: milliseconds.describe('Absent while the schedule is paused').optional(),
      error: z.string().describe('Why the last trigger published nothing').optional(),
    })
    .meta({ id: 'Schedule' }),
);

/** A schedule as the API shows it. */
export type ScheduleObject = Readonly<
  Omit<z.output<ReturnType<typeof scheduleSchema>>, keyof ShownBody>
> &
  ShownBody;

const done = { 200: { description: 'Done' } };

const page = once(() =>
  z.object({
    schedules: z.array(scheduleSchema()),
    cursor: z.string().describe('Absent on the last page').optional(),
  }),
);

/** Describes `GET /v2/schedules`. */
export const listRoute: RouteDescription = {
  summary: 'List all schedules, or a page of them',
  asOf: true,
  query: () =>
    z.object({
      count: z
        .int()
        .min(1)
        .max(1000)
        .describe('Size of a page; default 100 if there is a cursor')
        .optional(),
      cursor: z.string().describe('The cursor of the previous page').optional(),
    } satisfies Record<keyof typeof scheduleListFilters, z.ZodType>),
  answers: {
    200: {
      description: 'The schedules, oldest first; an object if the request has a count or a cursor',
      schema: () => z.union([z.array(scheduleSchema()), page()]),
    },
  },
};

/** Describes `GET /v2/schedules/{id}`. */
export const showRoute: RouteDescription = {
  summary: 'Get a schedule',
  asOf: true,
  answers: { 200: { description: 'The schedule', schema: scheduleSchema } },
};

/** Describes `DELETE /v2/schedules/{id}`. */
export const deleteRoute: RouteDescription = {
  summary: 'Delete a schedule; messages that it has published are kept',
  answers: done,
};

/** Describes `PATCH` and `POST /v2/schedules/{id}/pause`. */
export const pauseRoute: RouteDescription = {
  summary: 'Pause a schedule: it skips its triggers until it is resumed',
  answers: done,
};

/** Describes `PATCH` and `POST /v2/schedules/{id}/resume`. */
export const resumeRoute: RouteDescription = {
  summary: 'Resume a paused schedule with its next trigger',
  answers: done,
};
