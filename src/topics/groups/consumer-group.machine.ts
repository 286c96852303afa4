/**
 * The life of a consumer group.
 *
 *     absent     it has never had a member
 *     live       stable while it has members, with any owners; empty while it has none
 *     deleting   nothing joins; its committed offsets are being removed
 *     removed    final
 *
 * A rebalance is one event, in which partitions change hands at once: there is no state between two
 * generations, and none is drawn.
 */
import { type SnapshotFrom, setup } from 'xstate';
import { machineTypes } from '../../engine/machines/durable-machine.js';
import {
  type GroupContext,
  left,
  noGroup,
  type RecordedGroupEvent,
  rebalanced,
  subscribed,
} from './consumer-group.context.js';

const group = setup({
  types: machineTypes<GroupContext, RecordedGroupEvent>(),
  guards: {
    hasMembers: ({ context }) => context.members.size > 0,
    hasNoMembers: ({ context }) => context.members.size === 0,
  },
});

const subscribe = group.assign(({ context, event }) =>
  event.type === 'MemberJoined' || event.type === 'SubscriptionChanged'
    ? subscribed(context, event)
    : {},
);
const leave = group.assign(({ context, event }) =>
  event.type === 'MemberLeft' ? left(context, event) : {},
);
const reassign = group.assign(({ context, event }) =>
  event.type === 'PartitionsReassigned' ? rebalanced(context, event) : {},
);

// What is committed is not the group's own: it remembers nothing of a reset.
const reset = group.assign({});

/** Pure: it judges which event is legal and folds it. The tag `there` = the group is shown. */
export const consumerGroupMachine = group.createMachine({
  id: 'consumer-group',
  context: noGroup,
  initial: 'absent',
  states: {
    absent: {
      tags: 'joinable',
      on: { MemberJoined: { target: 'live', actions: subscribe } },
    },
    live: {
      initial: 'stable',
      tags: ['there', 'joinable'],
      on: {
        MemberJoined: { actions: subscribe },
        SubscriptionChanged: { actions: subscribe },
        MemberLeft: { actions: leave },
        PartitionsReassigned: { actions: reassign },
      },
      states: {
        stable: {
          description: 'every partition of every topic has one owner',
          always: { guard: 'hasNoMembers', target: 'empty' },
        },
        empty: {
          description: 'deleted when its retention is over',
          tags: ['deletable', 'resettable'],
          always: { guard: 'hasMembers', target: 'stable' },
          on: { OffsetsReset: { actions: reset }, GroupDeleted: '#consumer-group.deleting' },
        },
      },
    },
    deleting: { tags: ['there', 'deleting'], on: { GroupRemoved: 'removed' } },
    removed: { type: 'final' },
  },
});

/** A group as its decisions find it. */
export type ConsumerGroupLife = SnapshotFrom<typeof consumerGroupMachine>;
