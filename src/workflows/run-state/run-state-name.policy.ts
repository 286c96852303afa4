/** What the state of a run is called wherever it is shown. Pure. */
import type { RunPlace } from '../../messaging/messages/message.events.js';
import type { RunEnd } from './run.events.js';
import type { RunState } from './run.machine.js';

/** The states of a run as people draw them. */
export const runStateNames = [
  'running',
  'sleeping',
  'calling',
  'invoking',
  'waiting',
  'succeeded',
  'failed',
  'canceled',
] as const;

/** What `state` of a run is, in listings and in answers to why it waits. */
export type RunStateName = (typeof runStateNames)[number];

/** The name of an ended run's state, by the event that ended it. */
export const endNames = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunCanceled: 'canceled',
} as const satisfies Record<RunEnd['type'], RunStateName>;

/** A message of a run that is not final. */
export interface OpenMessage {
  readonly role: RunPlace['role'];
  /** No attempt starts before, Unix milliseconds. */
  readonly notBefore: number;
  /** Attempts that have failed. */
  readonly failures: number;
}

/**
 * The name of the machine's state, but for what the run's messages alone know: one that is due at
 * the endpoint, or is tried again there, makes any run a running one, and a running one of which
 * all that is left is to become due is sleeping. `now` in Unix milliseconds.
 */
export function runStateName(
  { value }: Pick<RunState, 'value'>,
  messages: readonly OpenMessage[],
  now: number,
): RunStateName {
  if (value === 'absent') throw new Error('a run without a start has no state to show');
  if (typeof value === 'string') return value;
  const deliveries = messages.filter(({ role }) => role === 'step' || role === 'callResult');
  const isAsleep = ({ notBefore, failures }: OpenMessage) => notBefore > now && failures === 0;
  if (!deliveries.every(isAsleep)) return 'running';
  return value.active === 'running' && deliveries.length > 0 ? 'sleeping' : value.active;
}
