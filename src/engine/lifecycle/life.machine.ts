/**
 * The life cycle of the process. Unlike every other machine it runs as a started actor: it concerns
 * this process only and ends with it, so its events are never stored or replayed.
 *
 *     starting    reading configuration and data, the port is not open yet
 *     recovering  the port is open for health checks; the journal is being replayed
 *     serving     everything is answered
 *     readOnly    reads are answered, writes are refused, with the reason
 *     draining    nothing new is accepted; running work may end
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
  /** Why writes are refused once the process serves; null if they are not. */
  readonly refusedBecause: string | null;
}

/**
 * A refusal of writes that arrives before the process serves is kept, and applies once it serves.
 * `stop` is accepted until draining; a state ignores all other events that it does not name.
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
    // Found at the start, before the process serves; shown as soon as it serves.
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
