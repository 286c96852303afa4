import fc from 'fast-check';
import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import {
  type ConsumerState,
  consumerMachine,
  type RecordedConsumerEvent,
} from '../../../src/topics/groups/consumer.machine.js';
import { consumerSettings } from '../../support/consumer-commands.js';
import { expectSameWhenPacked } from '../../support/packed-machine.js';

const evolution = machineEvolve(consumerMachine);
const { initialState, evolve, isFinal } = evolution;

const offset = fc.integer({ min: 0, max: 1000 });
const events: fc.Arbitrary<RecordedConsumerEvent> = fc.oneof(
  fc
    .record({ offset, offsetReset: fc.constantFrom('earliest', 'latest', 'none') })
    .map((chosen) => ({ type: 'ConsumerOpened' as const, ...consumerSettings(), ...chosen })),
  fc.record({
    offset,
    type: fc.constant('ConsumerClosed' as const),
    reason: fc.constantFrom('deleted', 'idle', 'expired'),
  }),
);

const shown = (state: ConsumerState) => JSON.stringify(consumerMachine.getPersistedSnapshot(state));

describe('the life of a consumer instance', () => {
  it.each([
    ['absent', ['ConsumerOpened']],
    ['active', ['ConsumerClosed']],
    ['closed', []],
  ] as const)('%s can hear %j and nothing else', (state, heard) => {
    const on = Object.keys(consumerMachine.states[state]?.config.on ?? {});
    expect(on.sort()).toEqual([...heard].sort());
  });

  it('is the same after being packed and woken between any two events', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 6 }), (history) => {
        const state = expectSameWhenPacked(evolution, shown, history);
        expect(isFinal(state)).toBe(state.value === 'closed');
      }),
    );
  });

  it('is told from the next one by the place of its beginning', () => {
    const state = evolve(initialState(), {
      type: 'ConsumerOpened',
      ...consumerSettings(),
      offset: 7,
    });
    expect(state.context.openedOffset).toBe(7);
  });
});
