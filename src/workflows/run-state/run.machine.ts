/**
 * The life of a workflow run. Every event of a run passes through this machine, and a transition
 * that it does not define cannot happen.
 *
 *     absent     the run has not been started
 *     running    its endpoint is being called, or is called next
 *     calling    a third party is being called
 *     invoking   another run, which this run started, has not ended yet
 *     waiting    an awaited event has not come yet
 *     succeeded, failed, canceled    final
 *
 * Parallel steps can do several of these at once: the context lists everything that is open, and
 * the state is the first of calling, invoking and waiting that has something open. Sleeping is not
 * a state here, because waking is not an event of the run: its message merely becomes due.
 * `run-state-name` distinguishes a sleeping run from a running one by its messages.
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import { machineEvolve } from '../../engine/machines/machine-evolve.js';
import {
  begun,
  callRequested,
  failureCallbackNamed,
  invocationEnded,
  nothingBegun,
  notificationStored,
  type RecordedRunEvent,
  type RunContext,
  reconfigured,
  stepEdited,
  stepInvoked,
  stepStored,
  waitEnded,
  waitOpened,
} from './run.context.js';
import type { RunEvent } from './run.events.js';
import { storedContext } from './stored-run.js';

const run = setup({
  types: machineTypes<RunContext, RecordedRunEvent>(),
  guards: {
    hasCalls: ({ context }) => context.calls.length > 0,
    hasNoCalls: ({ context }) => context.calls.length === 0,
    hasWaits: ({ context }) => context.waits.length > 0,
    hasNoWaits: ({ context }) => context.waits.length === 0,
    hasInvocations: ({ context }) => context.invocations.length > 0,
    hasNoInvocations: ({ context }) => context.invocations.length === 0,
    isBeforeFirstStep: ({ context }) =>
      context.entries.length === 1 && context.configurationOffset === context.startedOffset,
    hasNoFailureCallback: ({ context }) => context.terms?.failureCallback === null,
    isResult: ({ context, event }) =>
      event.type === 'StepEdited' && context.entries.at(event.place)?.step.id === event.step.id,
    isOpenWait: ({ context, event }) =>
      event.type === 'WaitEnded' && context.waits.some(({ step }) => step.id === event.step.id),
    isOpenInvocation: ({ context, event }) =>
      event.type === 'InvocationEnded' &&
      context.invocations.some(({ runId }) => runId === event.runId),
  },
});

const begin = run.assign(({ event }) => (event.type === 'RunStarted' ? begun(event) : {}));
const reconfigure = run.assign(({ context, event }) =>
  event.type === 'RunReconfigured' ? reconfigured(context, event) : {},
);
const nameFailureCallback = run.assign(({ context, event }) =>
  event.type === 'FailureCallbackNamed' ? failureCallbackNamed(context, event) : {},
);
const changeInvoker = run.assign(({ event }) =>
  event.type === 'InvokerChanged' ? { invoker: event.invoker } : {},
);
const storeStep = run.assign(({ context, event }) =>
  event.type === 'StepStored' ? stepStored(context, event) : {},
);
const editStep = run.assign(({ context, event }) =>
  event.type === 'StepEdited' ? stepEdited(context, event) : {},
);
const requestCall = run.assign(({ context, event }) =>
  event.type === 'CallRequested' ? callRequested(context, event) : {},
);
const openWait = run.assign(({ context, event }) =>
  event.type === 'WaitOpened' ? waitOpened(context, event) : {},
);
const endWait = run.assign(({ context, event }) =>
  event.type === 'WaitEnded' ? waitEnded(context, event) : {},
);
const storeNotification = run.assign(({ context, event }) =>
  event.type === 'NotificationStored' ? notificationStored(context, event) : {},
);
const invoke = run.assign(({ context, event }) =>
  event.type === 'StepInvoked' ? stepInvoked(context, event) : {},
);
const endInvocation = run.assign(({ context, event }) =>
  event.type === 'InvocationEnded' ? invocationEnded(context, event) : {},
);

/** The state machine of a run, as described above. */
export const runMachine = run.createMachine({
  id: 'run',
  context: nothingBegun,
  initial: 'absent',
  states: {
    absent: { on: { RunStarted: { target: 'active', actions: begin } } },
    active: {
      tags: 'active',
      initial: 'running',
      on: {
        StepStored: { actions: storeStep },
        StepEdited: { guard: 'isResult', actions: editStep },
        CallRequested: { actions: requestCall },
        WaitOpened: { actions: openWait },
        WaitEnded: { guard: 'isOpenWait', actions: endWait },
        NotificationStored: { actions: storeNotification },
        StepInvoked: { actions: invoke },
        InvocationEnded: { guard: 'isOpenInvocation', actions: endInvocation },
        RunReconfigured: { guard: 'isBeforeFirstStep', actions: reconfigure },
        FailureCallbackNamed: { guard: 'hasNoFailureCallback', actions: nameFailureCallback },
        InvokerChanged: { actions: changeInvoker },
        RunSucceeded: 'succeeded',
        RunFailed: 'failed',
        RunCanceled: 'canceled',
      },
      states: {
        running: {
          description:
            'its endpoint is being called, is called next, or the run sleeps until its message is due',
          always: [
            { guard: 'hasCalls', target: 'calling' },
            { guard: 'hasInvocations', target: 'invoking' },
            { guard: 'hasWaits', target: 'waiting' },
          ],
        },
        calling: {
          description: 'a third party is being called, or its answer is being delivered',
          always: { guard: 'hasNoCalls', target: 'running' },
        },
        invoking: {
          description: 'waits for the end of a run that it has invoked',
          always: [
            { guard: 'hasCalls', target: 'calling' },
            { guard: 'hasNoInvocations', target: 'running' },
          ],
        },
        waiting: {
          description: 'waits for an event',
          always: [
            { guard: 'hasCalls', target: 'calling' },
            { guard: 'hasInvocations', target: 'invoking' },
            { guard: 'hasNoWaits', target: 'running' },
          ],
        },
      },
    },
    succeeded: { type: 'final' },
    failed: { type: 'final' },
    canceled: { type: 'final' },
  },
});

/** The state of a run in memory. */
export type RunState = SnapshotFrom<typeof runMachine>;

const machine = machineEvolve(runMachine, storedContext);

/** A run that has not been started. */
export const initialRun = machine.initialState;

/** Whether a run has ended. */
export const isFinalRun = machine.isFinal;

/** How the state of a run is stored as bytes. */
export const storedRun = machine.stored;

/** Whether an event can happen to the run now. */
export const canHappen = machine.can;

/** Whether a run has been started and has not ended. */
export function isActive(state: RunState): boolean {
  return state.hasTag('active');
}

/** The state of a run after an event, which happened at `at` and has `offset` in the journal. */
export function evolveRun(
  state: RunState,
  event: RunEvent,
  { at, offset }: { readonly at: number; readonly offset: number },
): RunState {
  return machine.evolve(state, { at, offset, ...event });
}
