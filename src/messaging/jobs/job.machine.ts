/**
 * The life of a job.
 *
 *     absent      it was never created
 *     active      it takes what it means, or waits until it may
 *     done        nothing is left that it means; it is shown for a while
 *     aborted     it takes no more; it is shown for a while
 *     forgotten   final
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import type { JobEvent, JobFilter, JobRefusal } from './job.events.js';

/** Who created a job. */
export interface JobCreator {
  /** Of the credential; null = the request needed none. */
  readonly name: string | null;
  readonly address: string;
  readonly requestId: string;
}

/** An event with the time at which it happened, and who caused it. */
export type RecordedJobEvent = JobEvent & { readonly at: number; readonly by: JobCreator | null };

/** What memory holds of a job, and what a checkpoint stores. */
export interface JobContext {
  readonly verb: string;
  readonly over: string;
  readonly filters: readonly JobFilter[];
  readonly options: readonly string[];
  /** A second; null = it is not limited. */
  readonly rate: number | null;
  /** Journal offset: nothing that began there or later is touched. */
  readonly until: number;
  readonly by: JobCreator | null;
  /** All times are Unix milliseconds. */
  readonly createdAt: number;
  /** null = it has not ended. */
  readonly endedAt: number | null;
  /** Where it goes on; null = it has taken nothing. */
  readonly position: number | null;
  /** At its rate, nothing is taken before. */
  readonly nextAt: number;
  readonly done: number;
  readonly refused: number;
  /** The first `refusalsMax` of those that were refused. */
  readonly refusals: readonly JobRefusal[];
  /** Why it could not go on. */
  readonly reason: string | null;
}

/** So many refusals are remembered with their reasons. */
export const refusalsMax = 20;

/** A job that is late by less makes up for it. */
const madeUpMs = 1000;

const nothing: JobContext = {
  verb: '',
  over: '',
  filters: [],
  options: [],
  rate: null,
  until: 0,
  by: null,
  createdAt: 0,
  endedAt: null,
  position: null,
  nextAt: 0,
  done: 0,
  refused: 0,
  refusals: [],
  reason: null,
};

const job = setup({
  types: machineTypes<JobContext, RecordedJobEvent>(),
});

const create = job.assign(({ event }) => {
  if (event.type !== 'JobCreated') return {};
  const { verb, over, filters, options, rate, until, at, by } = event;
  return { verb, over, filters, options, rate, until, by, createdAt: at, nextAt: at };
});

const advance = job.assign(({ context, event }) => {
  if (event.type !== 'JobAdvanced') return {};
  const { position, done, refusals, at } = event;
  const { rate, nextAt } = context;
  const from = at - nextAt < madeUpMs ? nextAt : at;
  const taken = done + refusals.length;
  return {
    position,
    nextAt: rate === null ? at : from + (taken * 1000) / rate,
    done: context.done + done,
    refused: context.refused + refusals.length,
    refusals: [...context.refusals, ...refusals].slice(0, refusalsMax),
  };
});

const end = job.assign(({ event }) => ({
  endedAt: event.at,
  reason: event.type === 'JobAborted' ? event.reason : null,
}));

/** Pure: it judges which event is legal and folds it; what a job does is `JobWork`. */
export const jobMachine = job.createMachine({
  id: 'job',
  context: nothing,
  initial: 'absent',
  states: {
    absent: { on: { JobCreated: { target: 'active', actions: create } } },
    active: {
      tags: 'there',
      on: {
        JobAdvanced: { actions: advance },
        JobFinished: { target: 'done', actions: end },
        JobAborted: { target: 'aborted', actions: end },
      },
    },
    done: { tags: ['there', 'ended'], on: { JobForgotten: 'forgotten' } },
    aborted: { tags: ['there', 'ended'], on: { JobForgotten: 'forgotten' } },
    forgotten: { type: 'final' },
  },
});

/** A state of `jobMachine` with its context: what memory holds of a job. */
export type JobState = SnapshotFrom<typeof jobMachine>;
