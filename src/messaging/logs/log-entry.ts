/**
 * What the listing of logs says of one event: one row for a publish, two or three for an attempt
 * (messaging.md 9). Nothing of it is stored. Pure.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { AttemptRecord, MessageEvent } from '../messages/message.events.js';

/** The states a row can have, as they are written (messaging.md 9). */
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

export type LogState = (typeof logStates)[number];

/** The largest place of an entry among those of one event. */
export const entryPlaceMax = 2;

/** A row without its message. */
export interface LogEntry<State extends string = LogState> {
  readonly state: State;
  /** Unix milliseconds. */
  readonly time: number;
  /**
   * When the next attempt may start; where none follows, or one runs, when the last one started.
   * null = the event does not know of one.
   */
  readonly nextDeliveryTime: number | null;
  /** How the attempt ended; null where the row is about no end. */
  readonly end: AttemptRecord | null;
}

/** The entries of an event, oldest first; an entry's place in the list is its place in a cursor. */
export function entriesOf({
  event,
  at,
}: Pick<EventEnvelope<MessageEvent>, 'event' | 'at'>): readonly LogEntry[] {
  switch (event.type) {
    case 'MessagePublished':
      return [entry('CREATED', at, { nextDeliveryTime: event.notBefore })];
    case 'MessageDelivered':
      return [
        activeEntry(event.startedAt),
        entry('DELIVERED', at, { end: event, nextDeliveryTime: event.startedAt }),
      ];
    case 'AttemptFailed': {
      const nextDeliveryTime = event.retryAt;
      return [
        activeEntry(event.startedAt),
        entry('ERROR', at, { end: event, nextDeliveryTime }),
        entry('RETRY', at, { nextDeliveryTime }),
      ];
    }
    case 'MessageFailed':
      return [
        activeEntry(event.startedAt),
        entry('ERROR', at, { end: event, nextDeliveryTime: event.startedAt }),
        entry('FAILED', at, { end: event, nextDeliveryTime: event.startedAt }),
      ];
    case 'MessageCompleted':
      return [entry('DELIVERED', at)];
    case 'MessageCanceled':
      return [entry('CANCEL_REQUESTED', at), entry('CANCELED', at)];
  }
}

/** An attempt that began at `startedAt`, whether it runs or has ended since. */
export function activeEntry(startedAt: number): LogEntry {
  return entry('ACTIVE', startedAt, { nextDeliveryTime: startedAt });
}

function entry(state: LogState, time: number, more: Partial<LogEntry> = {}): LogEntry {
  return { state, time, nextDeliveryTime: null, end: null, ...more };
}
