/**
 * The life of a job.
 *
 *     absent      it was never created
 *     active      it takes items, or waits until it may
 *     done        no items are left; it is shown for a while
 *     aborted     it takes no more items; it is shown for a while
 *     forgotten   final
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import type { JobEvent, JobFilter, JobRefusal } from './job.events.js';

/** Who created a job. */
export interface JobCreator {
  /** Name of the credential; null = the request needed none. */
  readonly name: string | null;
  readonly address: string;
  readonly requestId: string;
}

/** An event with its time and its cause. */
export type RecordedJobEvent = JobEvent & { readonly at: number; readonly by: JobCreator | null };

/** The part of a job that memory holds and a checkpoint stores. */
export interface JobContext {
  readonly verb: string;
  readonly over: string;
  readonly filters: readonly JobFilter[];
  readonly options: readonly string[];
  /** Items per second; null = not limited. */
  readonly rate: number | null;
  /** Journal offset: items that began there or later are not touched. */
  readonly until: number;
  readonly by: JobCreator | null;
  /** All times are Unix milliseconds. */
  readonly createdAt: number;
  /** null = the job has not ended. */
  readonly endedAt: number | null;
  /** The position at which the job continues; null = it has taken nothing. */
  readonly position: number | null;
  /** According to its rate, the next item is not taken before this time. */
  readonly nextAt: number;
  readonly done: number;
  readonly refused: number;
  /** The first `refusalsMax` refusals. */
  readonly refusals: readonly JobRefusal[];
  /** Why the job could not continue. */
  readonly reason: string | null;
}

/** How many refusals are recorded with their reasons. */
export const refusalsMax = 20;

/** A job that is late by less than this catches up. */
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

/** Decides which events are legal and folds them; pure. The work of a job is done by `JobWork`. */
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

/** A state of `jobMachine` with its context: all that memory holds of a job. */
export type JobState = SnapshotFrom<typeof jobMachine>;
