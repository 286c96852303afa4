import fc from 'fast-check';
import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import {
  type RecordedSubscriptionEvent,
  type SubscriptionState,
  subscriptionMachine,
} from '../../../src/topics/subscriptions/subscription.machine.js';
import { expectSameWhenStored } from '../../support/stored-machine.js';
import { subscriptionDefinition } from '../../support/subscription-definition.js';

const evolution = machineEvolve(subscriptionMachine);
const { isFinal } = evolution;

const at = fc.integer({ min: 0, max: 1000 });
const count = fc.integer({ min: 0, max: 9 });
const events: fc.Arbitrary<RecordedSubscriptionEvent> = fc.oneof(
  fc.record({ at, positions: fc.array(count) }).map((rest) => ({
    type: 'SubscriptionCreated' as const,
    ...subscriptionDefinition(),
    ...rest,
  })),
  fc.record({
    at,
    type: fc.constant('SubscriptionGrown' as const),
    from: count,
    partitions: count,
  }),
  fc.record({ at, type: fc.constant('SubscriptionPaused' as const) }),
  fc.record({ at, type: fc.constant('SubscriptionResumed' as const) }),
  fc.record({
    at,
    type: fc.constant('SubscriptionDeleted' as const),
    cause: fc.constantFrom('request' as const, 'topicDeleted' as const),
  }),
);

const shown = (state: SubscriptionState) =>
  JSON.stringify(subscriptionMachine.getPersistedSnapshot(state));

describe('the life of a subscription', () => {
  it.each([
    ['absent', ['SubscriptionCreated']],
    ['active', ['SubscriptionDeleted', 'SubscriptionGrown', 'SubscriptionPaused']],
    ['paused', ['SubscriptionDeleted', 'SubscriptionGrown', 'SubscriptionResumed']],
    ['deleted', []],
  ] as const)('in state %s handles %j and nothing else', (state, heard) => {
    const on = Object.keys(subscriptionMachine.states[state]?.config.on ?? {});
    expect(on.sort()).toEqual(heard);
  });

  it('is the same if it is packed and woken between any two events', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 12 }), (history) => {
        const state = expectSameWhenStored(evolution, shown, history);
        expect(isFinal(state)).toBe(state.value === 'deleted');
      }),
    );
  });
});
