/** The commands of a job. */
import type { Command } from '../../engine/decider.js';
import type { JobDefinition, JobRefusal } from './job.events.js';

/** Create the job. */
export interface CreateJob extends Command {
  readonly type: 'CreateJob';
  readonly definition: JobDefinition;
}

/**
 * Record the items that are taken in the same turn. Refused once the job has ended, so that none of
 * them is taken.
 */
export interface AdvanceJob extends Command {
  readonly type: 'AdvanceJob';
  readonly position: number;
  readonly done: number;
  readonly refusals: readonly JobRefusal[];
}

/** End the job: no items are left. */
export interface FinishJob extends Command {
  readonly type: 'FinishJob';
}

/** Stop taking items. */
export interface AbortJob extends Command {
  readonly type: 'AbortJob';
  /** Why the job cannot continue; null = a client requested it. */
  readonly reason: string | null;
}

/** Forget the ended job, so that it is no longer shown. */
export interface ForgetJob extends Command {
  readonly type: 'ForgetJob';
}

/** All commands of a job: from requests, and from its own work. */
export type JobCommand = CreateJob | AdvanceJob | FinishJob | AbortJob | ForgetJob;
