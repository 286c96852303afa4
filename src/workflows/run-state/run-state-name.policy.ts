/** The name of a run's state wherever it is shown. Pure. */
import type { RunPlace } from '../../messaging/messages/message.events.js';
import type { RunEnd } from './run.events.js';
import type { RunState } from './run.machine.js';

/** The states of a run as users see them. */
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

/** The `state` of a run in listings and in the answers that explain why it waits. */
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
  /** The earliest time of the next attempt, Unix milliseconds. */
  readonly notBefore: number;
  /** Number of failed attempts. */
  readonly failures: number;
}

/**
 * The name of the machine's state, corrected by the run's messages. If any message to the endpoint
 * is due or is being retried, the run is running. A running run whose messages to the endpoint are
 * all due only later is sleeping. `now` in Unix milliseconds.
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
