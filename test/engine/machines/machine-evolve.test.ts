import fc from 'fast-check';
import { assign, createActor, createMachine, setup, transition } from 'xstate';
import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';

type Event =
  | { type: 'Opened'; by: string }
  | { type: 'Counted'; amount: number }
  | { type: 'Closed' };

const doorSetup = setup({
  types: { context: {} as { by: string | null; count: number }, events: {} as Event },
  guards: { isPositive: ({ event }) => event.type === 'Counted' && event.amount > 0 },
});

const remember = doorSetup.assign({ by: ({ event }) => ('by' in event ? event.by : null) });
const count = doorSetup.assign({
  count: ({ context, event }) => context.count + ('amount' in event ? event.amount : 0),
});

const door = doorSetup.createMachine({
  id: 'door',
  context: { by: null, count: 0 },
  initial: 'absent',
  states: {
    absent: {
      on: {
        Opened: { target: 'open', actions: remember },
      },
    },
    open: {
      on: {
        Counted: {
          guard: 'isPositive',
          actions: count,
        },
        Closed: 'closed',
      },
    },
    closed: { type: 'final' },
  },
});

const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ type: fc.constant('Opened' as const), by: fc.string() }),
  fc.record({ type: fc.constant('Counted' as const), amount: fc.integer({ min: -2, max: 5 }) }),
  fc.record({ type: fc.constant('Closed' as const) }),
);

const shown = (snapshot: unknown) => JSON.stringify(door.getPersistedSnapshot(snapshot as never));

describe('a machine stepped through one inert scope', () => {
  const evolve = machineEvolve(door);

  it('is in the state that transition() and a live actor are in, for any events', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 12 }), (history) => {
        const actor = createActor(door).start();
        let stepped = evolve.initialState();
        let pure = evolve.initialState();
        for (const event of history) {
          actor.send(event);
          stepped = evolve.evolve(stepped, event);
          pure = transition(door, pure, event)[0];
        }
        expect(shown(stepped)).toBe(shown(pure));
        expect(shown(stepped)).toBe(JSON.stringify(actor.getPersistedSnapshot()));
        expect(evolve.isFinal(stepped)).toBe(actor.getSnapshot().status === 'done');
      }),
    );
  });

  it('packs and unpacks at any point without a trace', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 12 }), (history) => {
        let kept = evolve.initialState();
        let woken = evolve.initialState();
        for (const event of history) {
          kept = evolve.evolve(kept, event);
          woken = evolve.evolve(evolve.stored.fromStored(evolve.stored.toStored(woken)), event);
        }
        expect(shown(woken)).toBe(shown(kept));
      }),
    );
  });

  it('hands back the same state for an event that it does not handle', () => {
    const absent = evolve.initialState();
    expect(evolve.evolve(absent, { type: 'Closed' })).toBe(absent);
    expect(absent.can({ type: 'Closed' })).toBe(false);
    expect(absent.can({ type: 'Opened', by: 'ann' })).toBe(true);
  });

  it('throws into the turn when an assign throws', () => {
    const brokenSetup = setup({ types: { context: {} as { n: number }, events: {} as Event } });
    const broken = brokenSetup.createMachine({
      context: { n: 0 },
      on: {
        Closed: {
          actions: brokenSetup.assign({
            n: () => {
              throw new Error('broken');
            },
          }),
        },
      },
    });
    const { initialState, evolve: step } = machineEvolve(broken);
    expect(() => step(initialState(), { type: 'Closed' })).toThrow('broken');
  });

  it('moves regions together as XState moves them', () => {
    const lampSetup = setup({
      types: { context: {} as { n: number }, events: {} as Event },
      guards: { isLit: ({ context }) => context.n > 0, isDark: ({ context }) => context.n === 0 },
    });
    const light = lampSetup.assign({ n: ({ context }) => context.n + 1 });
    const lamp = lampSetup.createMachine({
      context: { n: 0 },
      type: 'parallel',
      states: {
        left: { initial: 'off', states: { off: { on: { Closed: 'on' } }, on: {} } },
        right: {
          initial: 'off',
          states: {
            off: { on: { Closed: { target: 'on', actions: light } } },
            on: { on: { Counted: { actions: light } } },
          },
        },
        seen: {
          initial: 'dark',
          states: {
            dark: { always: { guard: 'isLit', target: 'lit' } },
            lit: { always: { guard: 'isDark', target: 'dark' } },
          },
        },
      },
    });
    const { initialState, evolve: step } = machineEvolve(lamp);
    fc.assert(
      fc.property(fc.array(events, { maxLength: 8 }), (history) => {
        let stepped = initialState();
        let pure = initialState();
        for (const event of history) {
          stepped = step(stepped, event);
          pure = transition(lamp, pure, event)[0];
          expect([stepped.value, stepped.context]).toEqual([pure.value, pure.context]);
        }
      }),
    );
  });

  it('refuses what a restored machine would not do', () => {
    const make = (config: object) => () => machineEvolve(createMachine({ context: {}, ...config }));
    expect(make({ entry: () => undefined })).toThrow('neither enters');
    expect(make({ on: { '*': { actions: assign({}) } } })).toThrow('names the events');
    expect(make({ on: { Closed: { actions: () => undefined } } })).toThrow('only assigns');
  });
});
