/**
 * The process's own life. Unlike every other machine it runs as a started actor: it is
 * about this process and ends with it, so that its events are never stored or replayed.
 *
 *     starting    reading configuration and data, the port is not open yet
 *     recovering  the port is open for health checks; the journal is being replayed
 *     serving     everything is answered
 *     readOnly    reads are answered, writes are refused, with the reason
 *     draining    nothing new is taken in; what runs may end
 *     stopped     the data is committed and closed
 */
import { assign, setup } from 'xstate';
import { machineTypes } from '../machines/durable-machine.js';

/** What `ProcessLife` sends to the machine. A reason is a sentence that health checks show. */
export type LifeEvent =
  | { readonly type: 'listening' }
  | { readonly type: 'recovered' }
  | { readonly type: 'writesRefused'; readonly reason: string }
  | { readonly type: 'writesAccepted' }
  | { readonly type: 'stop'; readonly reason: string }
  | { readonly type: 'closed' };

interface LifeContext {
  /** Why the process is not serving; null while it is. */
  readonly reason: string | null;
  /** Why writes are refused once it serves; null where they are not. */
  readonly refusedBecause: string | null;
}

/**
 * A refusal of writes that comes before it serves is kept, and counts from then on. `stop` is taken
 * until it drains; all else is ignored where the state does not name it.
 */
export const lifeMachine = setup({
  types: machineTypes<LifeContext, LifeEvent>(),
  actions: {
    remember: assign({ reason: (_, { reason }: { reason: string | null }) => reason }),
    refuse: assign({ refusedBecause: (_, { reason }: { reason: string | null }) => reason }),
  },
  guards: { refusesWrites: ({ context }) => context.refusedBecause !== null },
}).createMachine({
  id: 'process',
  initial: 'starting',
  context: { reason: 'the process is starting', refusedBecause: null },
  on: {
    stop: {
      target: '.draining',
      actions: { type: 'remember', params: ({ event }) => ({ reason: event.reason }) },
    },
    // Before it serves: found out at the start, and shown from the first moment it does.
    writesRefused: {
      actions: { type: 'refuse', params: ({ event }) => ({ reason: event.reason }) },
    },
    writesAccepted: { actions: { type: 'refuse', params: { reason: null } } },
  },
  states: {
    starting: {
      on: {
        listening: {
          target: 'recovering',
          actions: { type: 'remember', params: { reason: 'the journal is being replayed' } },
        },
      },
    },
    recovering: {
      on: {
        recovered: [
          {
            guard: 'refusesWrites',
            target: 'readOnly',
            actions: {
              type: 'remember',
              params: ({ context }) => ({ reason: context.refusedBecause }),
            },
          },
          { target: 'serving', actions: { type: 'remember', params: { reason: null } } },
        ],
      },
    },
    serving: {
      on: {
        writesRefused: {
          target: 'readOnly',
          actions: { type: 'remember', params: ({ event }) => ({ reason: event.reason }) },
        },
      },
    },
    readOnly: {
      on: {
        writesAccepted: {
          target: 'serving',
          actions: { type: 'remember', params: { reason: null } },
        },
      },
    },
    draining: { on: { stop: undefined, closed: { target: 'stopped' } } },
    stopped: { type: 'final' },
  },
});
