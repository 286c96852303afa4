/** A job as it is shown (messaging.md 13). */
import type { JobRefusal } from './job.events.js';
import type { JobContext, JobCreator, JobState } from './job.machine.js';

/** `FAILED` = aborted as it could not go on, with a `reason`; `QUEUED` = other jobs run first. */
export const jobStates = ['QUEUED', 'RUNNING', 'DONE', 'ABORTED', 'FAILED'] as const;

/** The answer of `/v2/jobs`; numbers count from the beginning of the job, over restarts. */
export interface JobObject {
  readonly jobId: string;
  readonly verb: string;
  readonly over: string;
  readonly filter: Readonly<Record<string, readonly string[]>>;
  /** A second. */
  readonly rate?: number;
  readonly state: (typeof jobStates)[number];
  /** Those that were met so far: taken or refused. */
  readonly matched: number;
  readonly done: number;
  readonly refused: number;
  /** The first of those that were refused. */
  readonly refusals: readonly JobRefusal[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Why it could not go on. */
  readonly reason?: string;
  /** Who asked for it. */
  readonly by: JobCreator | null;
}

/** `isQueued`: it waits for other jobs to end. */
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
