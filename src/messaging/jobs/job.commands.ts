/** The commands of a job. */
import type { Command } from '../../engine/decider.js';
import type { JobDefinition, JobRefusal } from './job.events.js';

/** Begin it. */
export interface CreateJob extends Command {
  readonly type: 'CreateJob';
  readonly definition: JobDefinition;
}

/** Remember what is taken in the same turn. Refused once it has ended: then nothing is taken. */
export interface AdvanceJob extends Command {
  readonly type: 'AdvanceJob';
  readonly position: number;
  readonly done: number;
  readonly refusals: readonly JobRefusal[];
}

/** Nothing is left that it means. */
export interface FinishJob extends Command {
  readonly type: 'FinishJob';
}

/** Take no more. */
export interface AbortJob extends Command {
  readonly type: 'AbortJob';
  /** Why it cannot go on; null = a client wants it. */
  readonly reason: string | null;
}

/** Show it no more. */
export interface ForgetJob extends Command {
  readonly type: 'ForgetJob';
}

/** From requests, and from the job's own work. */
export type JobCommand = CreateJob | AdvanceJob | FinishJob | AbortJob | ForgetJob;
