/**
 * The life of a consumer instance while it is active. A session is only in memory and ends with the
 * process; the journal knows only when the instance was opened and closed. A session begins after
 * the turn in which its instance joined, so it owns its share from the first moment; its group
 * decides what it owns.
 *
 *     awaited    not called since its start; closed if it does not call within its session timeout
 *     calling    its client has one or more calls in progress
 *     idle       no call in progress; it may call again within its session timeout
 *     silent     no call for its session timeout; about to be closed unless it calls
 *     ended      final: it was closed, or the server stops
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';

/** The events that `ConsumerSession` sends to the machine. */
export type SessionEvent =
  | { readonly type: 'CallBegan' }
  /** `at`: Unix milliseconds. */
  | { readonly type: 'CallEnded'; readonly at: number }
  | { readonly type: 'TimedOut' }
  | { readonly type: 'SessionEnded' };

/** The context of the session machine. */
interface SessionContext {
  /** Number of calls in progress. */
  readonly calls: number;
  /** When the last call ended, Unix milliseconds; null = no call since the start. */
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

/** Nothing of this machine is stored; its events come from calls and alarms. */
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

/** A state of `consumerSessionMachine` with its context. */
export type SessionLife = SnapshotFrom<typeof consumerSessionMachine>;
