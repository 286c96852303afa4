/**
 * The life of a workflow run. Its context is what every message of the run is made with; what grows
 * with the steps (entries, waits, notifications) is kept beside it, in `run.state.ts`.
 *
 *     absent     it was never started
 *     active     it takes steps in and has messages delivered
 *     succeeded, failed, canceled    final
 */
import { type SnapshotFrom, setup } from 'xstate';
import type { AnswerCheck, Invoker, RunEvent, RunTerms } from './run.events.js';

/** An event with the time and the place at which the journal has it. */
export type RecordedRunEvent = RunEvent & { readonly at: number; readonly offset: number };

export interface RunContext {
  readonly dialect: 'svc' | 'upstash';
  readonly url: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly callerIp: string;
  /** Journal offset of `RunStarted`. */
  readonly startedOffset: number;
  /** Journal offset of the configuration in force: `RunStarted` or `RunReconfigured`. */
  readonly configurationOffset: number;
  /** Journal offset of the event that holds the failure callback's headers. */
  readonly failureCallbackOffset: number;
  readonly terms: RunTerms | null;
  readonly answerCheck: AnswerCheck;
  readonly fetchesLazily: boolean;
  /** The run that waits for this one's end. */
  readonly invoker: Invoker | null;
}

const nothing: RunContext = {
  dialect: 'svc',
  url: '',
  createdAt: 0,
  callerIp: '',
  startedOffset: -1,
  configurationOffset: -1,
  failureCallbackOffset: -1,
  terms: null,
  answerCheck: 'none',
  fetchesLazily: false,
  invoker: null,
};

const run = setup({
  types: { context: {} as RunContext, events: {} as RecordedRunEvent },
});

const start = run.assign(({ event }) => (event.type === 'RunStarted' ? startedContext(event) : {}));

const reconfigure = run.assign(({ event }) =>
  event.type === 'RunReconfigured' ? configured(event) : {},
);

const nameFailureCallback = run.assign(({ context, event }) => {
  if (event.type !== 'FailureCallbackNamed' || context.terms === null) return {};
  const { headers, ...failureCallback } = event.callback;
  const terms = { ...context.terms, failureCallback };
  return { terms, failureCallbackOffset: event.offset };
});

const changeInvoker = run.assign(({ event }) =>
  event.type === 'InvokerChanged' ? { invoker: event.invoker } : {},
);

/** What a run is as it begins. */
export function startedContext(event: Extract<RecordedRunEvent, { type: 'RunStarted' }>) {
  const { at, offset, invoker } = event;
  const context: RunContext = {
    ...configured(event),
    createdAt: at,
    startedOffset: offset,
    invoker,
  };
  return context;
}

function configured({
  configuration,
  offset,
}: Extract<RecordedRunEvent, { configuration: unknown }>): Omit<
  RunContext,
  'createdAt' | 'startedOffset' | 'invoker'
> {
  const { dialect, url, callerIp, terms, answerCheck, fetchesLazily } = configuration;
  return {
    dialect,
    url,
    callerIp,
    terms,
    answerCheck,
    fetchesLazily,
    configurationOffset: offset,
    failureCallbackOffset: offset,
  };
}

export const runMachine = run.createMachine({
  id: 'run',
  context: nothing,
  initial: 'absent',
  states: {
    absent: { on: { RunStarted: { target: 'active', actions: start } } },
    active: {
      on: {
        RunReconfigured: { actions: reconfigure },
        FailureCallbackNamed: { actions: nameFailureCallback },
        InvokerChanged: { actions: changeInvoker },
        RunSucceeded: 'succeeded',
        RunFailed: 'failed',
        RunCanceled: 'canceled',
      },
    },
    succeeded: { type: 'final' },
    failed: { type: 'final' },
    canceled: { type: 'final' },
  },
});

/** A run's life as memory holds it. */
export type RunLife = SnapshotFrom<typeof runMachine>;
