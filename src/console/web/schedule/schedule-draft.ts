/** A schedule as in a form: a new one, or an existing one. Pure. */
import { linesOf, optionsOf } from '../publish/options.ts';
import { cronParts } from './cron.tsx';
import type { Schedule } from './load-schedule.ts';

/** The fields of the form. */
export interface ScheduleDraft {
  readonly fields: string;
  readonly zone: string;
  readonly destination: string;
  readonly body: string;
  /** One `Name: value` per line. */
  readonly headers: string;
}

/** An empty draft. */
export const noSchedule: ScheduleDraft = {
  fields: '',
  zone: '',
  destination: '',
  body: '',
  headers: '',
};

/** The options of a schedule, whose names begin with `prefix`. */
export function scheduleOptions(schedule: Schedule, prefix: string): ReadonlyMap<string, string> {
  const options = new Map(optionsOf(schedule, prefix));
  const { delay, timeout, queueName } = schedule;
  if (delay !== undefined) options.set(`${prefix}Delay`, `${delay}s`);
  if (timeout !== undefined) options.set(`${prefix}Timeout`, `${timeout}s`);
  if (queueName !== undefined) options.set(`${prefix}Queue-Name`, queueName);
  return options;
}

/** `prefix` is that of option headers in the server's dialect. */
export function draftOf(schedule: Schedule, prefix: string): ScheduleDraft {
  const { cron, destination, body = '' } = schedule;
  const headers = linesOf(scheduleOptions(schedule, prefix));
  return { ...cronParts(cron), destination, body, headers };
}
