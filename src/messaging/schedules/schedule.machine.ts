/**
 * The life of a schedule. Its context is small: the definition of its messages stays in the
 * journal, at `definitionOffset`.
 *
 *     absent    it was never created
 *     active    it wants to trigger at `nextAt`
 *     paused    it wants nothing; neither overwriting nor a manual trigger resumes it
 *     deleted   final
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import type { ScheduleEvent } from './schedule.events.js';

/** An event with its time and its journal offset. */
export type RecordedScheduleEvent = ScheduleEvent & {
  readonly at: number;
  readonly offset: number;
};

/** The part of a schedule that memory holds and a checkpoint stores. */
interface ScheduleContext {
  readonly cron: string;
  /** Journal offset of the `ScheduleCreated` in force; its body is that of the messages. */
  readonly definitionOffset: number;
  /** All times are Unix milliseconds. */
  readonly createdAt: number;
  /** null = there is no next trigger. */
  readonly nextAt: number | null;
  /** null = the schedule has not triggered yet. */
  readonly lastAt: number | null;
  /** The messages that the last trigger published. */
  readonly messageIds: readonly string[];
  /** Why the last trigger published nothing; null = it did publish. */
  readonly error: string | null;
}

const nothing: ScheduleContext = {
  cron: '',
  definitionOffset: -1,
  createdAt: 0,
  nextAt: null,
  lastAt: null,
  messageIds: [],
  error: null,
};

const schedule = setup({
  types: machineTypes<ScheduleContext, RecordedScheduleEvent>(),
});

const define = schedule.assign(({ context, event }) => {
  if (event.type !== 'ScheduleCreated') return {};
  const { cron, nextAt, at, offset } = event;
  const createdAt = context.definitionOffset < 0 ? at : context.createdAt;
  return { cron, nextAt, createdAt, definitionOffset: offset, error: null };
});

const trigger = schedule.assign(({ event }) => {
  if (event.type !== 'ScheduleTriggered') return {};
  const { nextAt, messageIds, error, at } = event;
  return { nextAt, messageIds, error, lastAt: at };
});

const resume = schedule.assign({
  nextAt: ({ event }) => (event.type === 'ScheduleResumed' ? event.nextAt : null),
});

/** Decides which events are legal and folds them; pure. The tag `there` = the schedule exists. */
export const scheduleMachine = schedule.createMachine({
  id: 'schedule',
  context: nothing,
  initial: 'absent',
  states: {
    absent: { on: { ScheduleCreated: { target: 'active', actions: define } } },
    active: {
      tags: ['there', 'triggering'],
      on: {
        ScheduleCreated: { actions: define },
        ScheduleTriggered: { actions: trigger },
        SchedulePaused: 'paused',
        ScheduleDeleted: 'deleted',
      },
    },
    paused: {
      tags: 'there',
      on: {
        ScheduleCreated: { actions: define },
        ScheduleTriggered: { actions: trigger },
        ScheduleResumed: { target: 'active', actions: resume },
        ScheduleDeleted: 'deleted',
      },
    },
    deleted: { type: 'final' },
  },
});

/** A state of `scheduleMachine` with its context: all that memory holds of a schedule. */
export type ScheduleState = SnapshotFrom<typeof scheduleMachine>;
