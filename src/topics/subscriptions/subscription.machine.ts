/**
 * The life of a subscription. How far each partition is pushed is a stream of its own, so that a
 * push costs what it moves and not what there is.
 *
 *     absent    it was never created
 *     active    its partitions push
 *     paused    they do not; it grows with its topic all the same
 *     deleted   final
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import type { SubscriptionDefinition, SubscriptionEvent } from './subscription.events.js';

/** An event with the time at which it happened. */
export type RecordedSubscriptionEvent = SubscriptionEvent & { readonly at: number };

/** What memory holds of a subscription, and what a checkpoint stores. */
interface SubscriptionContext {
  /** null = it was never created. */
  readonly definition: SubscriptionDefinition | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** How many partitions it pushes. */
  readonly partitions: number;
}

const nothing: SubscriptionContext = { definition: null, createdAt: 0, partitions: 0 };

const subscription = setup({
  types: machineTypes<SubscriptionContext, RecordedSubscriptionEvent>(),
  guards: {
    isMore: ({ context, event }) =>
      event.type === 'SubscriptionGrown' && event.partitions > context.partitions,
  },
});

const define = subscription.assign(({ event }) => {
  if (event.type !== 'SubscriptionCreated') return {};
  const { type, at, positions, ...definition } = event;
  return { definition, createdAt: at, partitions: positions.length };
});

const grow = subscription.assign(({ event }) =>
  event.type === 'SubscriptionGrown' ? { partitions: event.partitions } : {},
);

/** Pure: it judges which event is legal and folds it. The tag `there` = the subscription exists. */
export const subscriptionMachine = subscription.createMachine({
  id: 'subscription',
  context: nothing,
  initial: 'absent',
  states: {
    absent: { on: { SubscriptionCreated: { target: 'active', actions: define } } },
    active: {
      tags: 'there',
      on: {
        SubscriptionGrown: { guard: 'isMore', actions: grow },
        SubscriptionPaused: 'paused',
        SubscriptionDeleted: 'deleted',
      },
    },
    paused: {
      tags: 'there',
      on: {
        SubscriptionGrown: { guard: 'isMore', actions: grow },
        SubscriptionResumed: 'active',
        SubscriptionDeleted: 'deleted',
      },
    },
    deleted: { type: 'final' },
  },
});

/** A state of `subscriptionMachine` with its context: what memory holds of a subscription. */
export type SubscriptionState = SnapshotFrom<typeof subscriptionMachine>;
