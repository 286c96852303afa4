/** A job as the API shows it (messaging.md 13). */
import type { JobRefusal } from './job.events.js';
import type { JobContext, JobCreator, JobState } from './job.machine.js';

/** `FAILED` = aborted for a `reason`, as it could not continue; `QUEUED` = other jobs run first. */
export const jobStates = ['QUEUED', 'RUNNING', 'DONE', 'ABORTED', 'FAILED'] as const;

/**
 * The object of a job in answers of `/v2/jobs`; counts are those since the start of the job, across
 * restarts.
 */
export interface JobObject {
  readonly jobId: string;
  readonly verb: string;
  readonly over: string;
  readonly filter: Readonly<Record<string, readonly string[]>>;
  /** Items per second. */
  readonly rate?: number;
  readonly state: (typeof jobStates)[number];
  /** Items processed so far: done or refused. */
  readonly matched: number;
  readonly done: number;
  readonly refused: number;
  /** The first items that were refused. */
  readonly refusals: readonly JobRefusal[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Why the job could not continue. */
  readonly reason?: string;
  /** Who created the job. */
  readonly by: JobCreator | null;
}

/** The object of a job; `isQueued`: the job waits for other jobs to end. */
export function jobObject(jobId: string, state: JobState, isQueued: boolean): JobObject {
  const { context } = state;
  const { verb, over, filters, rate, done, refused, refusals, reason, endedAt, by } = context;
  return {
    jobId,
    verb,
    over,
    filter: Object.fromEntries(filters.map(({ name, values }) => [name, values])),
    ...(rate !== null && { rate }),
    state: wordOf(state, isQueued),
    matched: done + refused,
    done,
    refused,
    refusals,
    startedAt: context.createdAt,
    ...timesOf(endedAt, reason),
    by,
  };
}

function wordOf(state: JobState, isQueued: boolean): JobObject['state'] {
  if (state.matches('done')) return 'DONE';
  if (state.matches('aborted')) return state.context.reason === null ? 'ABORTED' : 'FAILED';
  return isQueued ? 'QUEUED' : 'RUNNING';
}

function timesOf(
  endedAt: JobContext['endedAt'],
  reason: JobContext['reason'],
): Pick<JobObject, 'endedAt' | 'reason'> {
  return { ...(endedAt !== null && { endedAt }), ...(reason !== null && { reason }) };
}
