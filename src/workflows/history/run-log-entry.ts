/** The entry of the log of runs for one event of a run (workflows.md 5.2). Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { LogEntry } from '../../messaging/logs/log-entry.js';
import { endsRun } from '../run-state/recorded-events.js';
import type { RunEnd, RunEvent } from '../run-state/run.events.js';

/** The states of a run, as the API spells them. */
export const runStates = ['RUN_STARTED', 'RUN_SUCCESS', 'RUN_FAILED', 'RUN_CANCELED'] as const;

/** The state of a run in listings and in their filters. */
export type RunLifeState = (typeof runStates)[number];

/** The states that a row of a run can have, besides those of its messages. */
export const runLogStates = [...runStates, 'WAITER_ADDED', 'INVOKED'] as const;

/** The state of a run in a row of the log. */
export type RunLogState = (typeof runLogStates)[number];

/** The state for each end of a run. */
export const endStates: Readonly<Record<RunEnd['type'], RunLifeState>> = {
  RunSucceeded: 'RUN_SUCCESS',
  RunFailed: 'RUN_FAILED',
  RunCanceled: 'RUN_CANCELED',
};

const statesOf: Readonly<Partial<Record<RunEvent['type'], RunLogState>>> = {
  ...endStates,
  RunStarted: 'RUN_STARTED',
  WaitOpened: 'WAITER_ADDED',
  StepInvoked: 'INVOKED',
};

/** One entry or none: everything else that happens to a run shows in its messages. */
export function runEntriesOf({
  event,
  at,
}: Pick<EventEnvelope<RunEvent>, 'event' | 'at'>): readonly LogEntry<RunLogState>[] {
  const state = statesOf[event.type];
  return state === undefined ? [] : [{ state, time: at, nextDeliveryTime: null, end: null }];
}

/** Whether an event is the end of its run. */
export function isRunEnd(envelope: EventEnvelope<RunEvent>): envelope is EventEnvelope<RunEnd> {
  return endsRun(envelope.event);
}
