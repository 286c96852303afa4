/** How a schedule is shown, and how its routes are described (messaging protocol 2.7). */
import { z } from 'zod';
import type { RouteDescription } from '../http/route-description.js';
import { bodyFields, milliseconds, templateShape } from '../messages/message-schema.js';
import { scheduledMessageStates } from './scheduled-messages.projection.js';

/** Absent values are left out, not null. */
export const scheduleSchema = z.object({
  scheduleId: z.string(),
  cron: z.string().describe('As it was written, trimmed, with its CRON_TZ= part'),
  destination: z.string().describe('A URL, or the name of a URL group'),
  createdAt: milliseconds.describe('Unix milliseconds; overwriting does not change it'),
  ...templateShape,
  ...bodyFields,
  isPaused: z.boolean(),
  lastScheduleTime: milliseconds.describe('Absent before the first trigger').optional(),
  lastScheduleStates: z
    .record(z.string(), z.enum(scheduledMessageStates))
    .describe('The messages of the last trigger, by id')
    .optional(),
  nextScheduleTime: milliseconds.describe('Absent while it is paused').optional(),
  error: z.string().describe('Why the last trigger published nothing').optional(),
});

/** A schedule as the API shows it. */
export type ScheduleObject = Readonly<z.output<typeof scheduleSchema>>;

const done = { 200: { description: 'Done' } };

export const listRoute: RouteDescription = {
  summary: 'All schedules',
  answers: { 200: { description: 'In no order', schema: z.array(scheduleSchema) } },
};

export const showRoute: RouteDescription = {
  summary: 'One schedule',
  answers: { 200: { description: 'As it is now', schema: scheduleSchema } },
};

export const deleteRoute: RouteDescription = {
  summary: 'Ends a schedule; what it published lives on',
  answers: done,
};

export const pauseRoute: RouteDescription = {
  summary: 'Skips triggers until it is resumed',
  answers: done,
};

export const resumeRoute: RouteDescription = {
  summary: 'Goes on with the next trigger',
  answers: done,
};
