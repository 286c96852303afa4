/**
 * The life of a subscription. The progress of each partition is a stream of its own, so that the
 * cost of a push depends on what it moves, not on the number of partitions.
 *
 *     absent    the subscription was never created
 *     active    its partitions are pushed
 *     paused    its partitions are not pushed; it still grows with its topic
 *     deleted   final
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import type { SubscriptionDefinition, SubscriptionEvent } from './subscription.events.js';

/** An event with the time at which it happened. */
export type RecordedSubscriptionEvent = SubscriptionEvent & { readonly at: number };

/** The context of a subscription in memory and in checkpoints. */
interface SubscriptionContext {
  /** null = never created. */
  readonly definition: SubscriptionDefinition | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Number of pushed partitions. */
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

/**
 * Pure: checks which events are legal and folds them. The tag `there` means that the subscription
 * exists.
 */
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

/** A state of `subscriptionMachine` with its context: a subscription in memory. */
export type SubscriptionState = SnapshotFrom<typeof subscriptionMachine>;
