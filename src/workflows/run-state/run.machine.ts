/**
 * The life of a workflow run. Every event of a run goes through here, and what is not drawn here
 * does not happen to a run.
 *
 *     absent     it has not been started
 *     active     it takes steps in and has messages delivered
 *     succeeded, failed, canceled    final
 *
 * Parallel steps do several things at once, and so an active run is in one state of each region:
 * calls, waits and invocations. Which one follows from what is open. Whether it sleeps is not drawn
 * here: the run does not change when it wakes, its message becomes due.
 */
import { type SnapshotFrom, setup } from 'xstate';
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
  stepInvoked,
  stepStored,
  waitEnded,
  waitOpened,
} from './run.context.js';

const run = setup({
  types: { context: {} as RunContext, events: {} as RecordedRunEvent },
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

export const runMachine = run.createMachine({
  id: 'run',
  context: nothingBegun,
  initial: 'absent',
  states: {
    absent: { on: { RunStarted: { target: 'active', actions: begin } } },
    active: {
      type: 'parallel',
      tags: 'active',
      description: 'running while a message to the endpoint is due, else sleeping',
      on: {
        StepStored: { actions: storeStep },
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
        calls: {
          initial: 'none',
          states: {
            none: { always: { guard: 'hasCalls', target: 'calling' } },
            calling: {
              tags: 'calling',
              description: 'third parties are called, or their answers are delivered',
              always: { guard: 'hasNoCalls', target: 'none' },
            },
          },
        },
        waits: {
          initial: 'none',
          states: {
            none: { always: { guard: 'hasWaits', target: 'waiting' } },
            waiting: {
              tags: ['waiting', 'expecting'],
              description: 'events are waited for',
              always: { guard: 'hasNoWaits', target: 'none' },
            },
          },
        },
        invocations: {
          initial: 'none',
          states: {
            none: { always: { guard: 'hasInvocations', target: 'invoking' } },
            invoking: {
              tags: ['invoking', 'expecting'],
              description: 'runs that it has started are waited for',
              always: { guard: 'hasNoInvocations', target: 'none' },
            },
          },
        },
      },
    },
    succeeded: { type: 'final' },
    failed: { type: 'final' },
    canceled: { type: 'final' },
  },
});

/** A run as memory holds it. */
export type RunState = SnapshotFrom<typeof runMachine>;
