/** How a schedule is shown, and how its routes are described (messaging protocol 2.7). */
import { z } from 'zod';
import type { RouteDescription } from '../http/route-description.js';
import { scheduledMessageStates } from './scheduled-messages.projection.js';

const headerMap = z.record(z.string(), z.array(z.string()));
const milliseconds = z.int().describe('Unix milliseconds');
const seconds = z.int().describe('Seconds');

/** Absent values are left out, not null. */
export const scheduleSchema = z.object({
  scheduleId: z.string(),
  cron: z.string().describe('As it was written, trimmed, with its CRON_TZ= part'),
  destination: z.string().describe('A URL, or the name of a URL group'),
  method: z.string(),
  createdAt: milliseconds.describe('Unix milliseconds; overwriting does not change it'),
  header: headerMap,
  body: z.string().optional(),
  bodyBase64: z.string().describe('In place of body, if that is not UTF-8').optional(),
  retries: z.int(),
  delay: seconds.optional(),
  timeout: seconds.optional(),
  callback: z.string().optional(),
  callbackHeader: headerMap.optional(),
  failureCallback: z.string().optional(),
  failureCallbackHeader: headerMap.optional(),
  callerIP: z.string(),
  isPaused: z.boolean(),
  queueName: z.string().optional(),
  label: z.string().describe('The first of labels').optional(),
  labels: z.array(z.string()).readonly().optional(),
  flowControlKey: z.string().optional(),
  parallelism: z.int().optional(),
  rate: z.int().optional(),
  period: seconds.optional(),
  retryDelayExpression: z.string().optional(),
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
