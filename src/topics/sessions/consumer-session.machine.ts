/**
 * The life of a consumer instance while it is active. It is in memory and ends with the process;
 * the journal knows only when the instance began and was closed. A session begins after the turn
 * that made it a member: it owns its share from the first moment, and what it owns is its group's.
 *
 *     awaited    it has not called since it was started; it has its session timeout to do so
 *     calling    its client calls, with one call or several
 *     idle       it may call again for as long as its session timeout
 *     silent     it has been silent for that long and is about to be closed, unless it calls
 *     ended      final: it is closed, or the server stops
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';

/** What `ConsumerSession` sends the machine. */
export type SessionEvent =
  | { readonly type: 'CallBegan' }
  /** `at`: Unix milliseconds. */
  | { readonly type: 'CallEnded'; readonly at: number }
  | { readonly type: 'TimedOut' }
  | { readonly type: 'SessionEnded' };

/** What a session keeps beside the state of that machine. */
interface SessionContext {
  /** How many calls are under way. */
  readonly calls: number;
  /** When its last call ended, Unix milliseconds; null = it has not called since the start. */
  readonly lastSeenAt: number | null;
}

const session = setup({
  types: machineTypes<SessionContext, SessionEvent>(),
  guards: {
    isLastCall: ({ context }) => context.calls === 1,
  },
});

const begin = session.assign(({ context }) => ({ calls: context.calls + 1 }));
const end = session.assign(({ context, event }) =>
  event.type === 'CallEnded' ? { calls: context.calls - 1, lastSeenAt: event.at } : {},
);
const call = { target: 'calling', actions: begin };

/** Nothing of it is stored: events come from calls and from alarms. */
export const consumerSessionMachine = session.createMachine({
  id: 'consumer-session',
  context: { calls: 0, lastSeenAt: null },
  initial: 'awaited',
  states: {
    awaited: { on: { CallBegan: call, TimedOut: 'silent', SessionEnded: 'ended' } },
    calling: {
      on: {
        CallBegan: { actions: begin },
        CallEnded: [{ guard: 'isLastCall', target: 'idle', actions: end }, { actions: end }],
        SessionEnded: 'ended',
      },
    },
    idle: { on: { CallBegan: call, TimedOut: 'silent', SessionEnded: 'ended' } },
    silent: { on: { CallBegan: call, SessionEnded: 'ended' } },
    ended: { type: 'final' },
  },
});

/** A state of `consumerSessionMachine` with its context, as a session keeps it. */
export type SessionLife = SnapshotFrom<typeof consumerSessionMachine>;
