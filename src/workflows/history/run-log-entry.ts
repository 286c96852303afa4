/** What the log of runs says of one event of a run (workflows.md 5.2). Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { LogEntry } from '../../messaging/logs/log-entry.js';
import { endsRun } from '../run-state/recorded-events.js';
import type { RunEnd, RunEvent } from '../run-state/run.events.js';

/** The states of a run as they are written. */
export const runStates = ['RUN_STARTED', 'RUN_SUCCESS', 'RUN_FAILED', 'RUN_CANCELED'] as const;

/** What a run is in listings and in filters of them. */
export type RunLifeState = (typeof runStates)[number];

/** The states that a row of a run can have, beside those of its messages. */
export const runLogStates = [...runStates, 'WAITER_ADDED', 'INVOKED'] as const;

/** What a row of the log says has become of its run. */
export type RunLogState = (typeof runLogStates)[number];

/** What each end of a run is called. */
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

/** One entry, or none: what else happens to a run shows in its messages. */
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
