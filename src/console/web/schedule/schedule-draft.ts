/** A schedule as a form has it: a new one, or one that is there. Pure. */
import { linesOf, optionsOf } from '../publish/options.ts';
import { cronParts } from './cron.tsx';
import type { Schedule } from './load-schedule.ts';

/** What stands in the fields of the form. */
export interface ScheduleDraft {
  readonly fields: string;
  readonly zone: string;
  readonly destination: string;
  readonly body: string;
  /** One `Name: value` in a line. */
  readonly headers: string;
}

/** A schedule that is not written yet. */
export const noSchedule: ScheduleDraft = {
  fields: '',
  zone: '',
  destination: '',
  body: '',
  headers: '',
};

/** Its options, the names of which begin with `prefix`. */
export function scheduleOptions(schedule: Schedule, prefix: string): ReadonlyMap<string, string> {
  const options = new Map(optionsOf(schedule, prefix));
  const { delay, timeout, queueName } = schedule;
  if (delay !== undefined) options.set(`${prefix}Delay`, `${delay}s`);
  if (timeout !== undefined) options.set(`${prefix}Timeout`, `${timeout}s`);
  if (queueName !== undefined) options.set(`${prefix}Queue-Name`, queueName);
  return options;
}

/** `prefix` is that of the headers of options, in the server's dialect. */
export function draftOf(schedule: Schedule, prefix: string): ScheduleDraft {
  const { cron, destination, body = '' } = schedule;
  const headers = linesOf(scheduleOptions(schedule, prefix));
  return { ...cronParts(cron), destination, body, headers };
}
