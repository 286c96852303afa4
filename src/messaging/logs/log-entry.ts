/**
 * What the logs show of one event: one row for a publish, two or three for an attempt (messaging.md
 * 9). Rows are not stored. Pure.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type {
  AttemptFailed,
  AttemptRecord,
  AttemptUnderWay,
  MessageDelivered,
  MessageEvent,
  MessageFailed,
} from '../messages/message.events.js';

/** The states of rows, as they are spelled on the wire (messaging.md 9). */
export const logStates = [
  'CREATED',
  'ACTIVE',
  'RETRY',
  'ERROR',
  'DELIVERED',
  'FAILED',
  'CANCEL_REQUESTED',
  'CANCELED',
] as const;

/** One of these states, as rows and filters spell it. */
export type LogState = (typeof logStates)[number];

/** The largest index of an entry among those of one event. */
export const entryPlaceMax = 2;

/** A row without its message. */
export interface LogEntry<State extends string = LogState> {
  readonly state: State;
  /** Unix milliseconds. */
  readonly time: number;
  /**
   * When the next attempt may start. If none follows, or one is in flight, when the last one
   * started. null = the event has no such time.
   */
  readonly nextDeliveryTime: number | null;
  /** The attempt that the row is about, from 1; absent if it is about none. */
  readonly attempt?: number;
  /** How the attempt ended; null if the row is not about an end. */
  readonly end: AttemptRecord | null;
}

/** An event that records an attempt. */
type AttemptEnd = MessageDelivered | AttemptFailed | MessageFailed;

/** The entries of an event, oldest first; an entry's index in the list is its place in a cursor. */
export function entriesOf({
  event,
  at,
}: Pick<EventEnvelope<MessageEvent>, 'event' | 'at'>): readonly LogEntry[] {
  switch (event.type) {
    case 'MessagePublished':
      return [entry('CREATED', at, { nextDeliveryTime: event.notBefore })];
    case 'MessageDelivered':
    case 'AttemptFailed':
    case 'MessageFailed':
      return attemptEntries(event, at);
    case 'MessageRescheduled':
      return [entry('RETRY', at, { nextDeliveryTime: event.notBefore })];
    case 'MessageCompleted':
      return overtakingEntries(event.underWay, ['DELIVERED'], at);
    case 'MessageCanceled':
      return overtakingEntries(event.underWay, ['CANCEL_REQUESTED', 'CANCELED'], at);
  }
}

/** The entries of an end that did not wait for the attempt in flight; only it records that one. */
function overtakingEntries(
  underWay: AttemptUnderWay | undefined,
  states: readonly LogState[],
  at: number,
): readonly LogEntry[] {
  if (underWay === undefined) return states.map((state) => entry(state, at));
  const { attempt, startedAt } = underWay;
  const ends = states.map((state) => entry(state, at, { nextDeliveryTime: startedAt }));
  return [activeEntry(startedAt, attempt), ...ends];
}

/** The entries of an attempt that has ended: that it began, how it ended, and what follows. */
function attemptEntries(end: AttemptEnd, at: number): readonly LogEntry[] {
  const attempt = end.attempt + 1;
  const nextDeliveryTime = end.type === 'AttemptFailed' ? end.retryAt : end.startedAt;
  const began = activeEntry(end.startedAt, end.attempt);
  const ended = { attempt, end, nextDeliveryTime };
  switch (end.type) {
    case 'MessageDelivered':
      return [began, entry('DELIVERED', at, ended)];
    case 'AttemptFailed':
      return [began, entry('ERROR', at, ended), entry('RETRY', at, { attempt, nextDeliveryTime })];
    case 'MessageFailed':
      return [began, entry('ERROR', at, ended), entry('FAILED', at, ended)];
  }
}

/** The entry that attempt `number`, from 0, began at `startedAt`, even if it has ended since. */
export function activeEntry(startedAt: number, number: number): LogEntry {
  return entry('ACTIVE', startedAt, { nextDeliveryTime: startedAt, attempt: number + 1 });
}

function entry(state: LogState, time: number, more: Partial<LogEntry> = {}): LogEntry {
  return { state, time, nextDeliveryTime: null, end: null, ...more };
}
