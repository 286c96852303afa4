/**
 * The life of a consumer group.
 *
 *     absent     the group has never had a member
 *     live       stable while it has members, with any owners; empty while it has none
 *     deleting   no instance can join; its committed offsets are being removed
 *     removed    final
 *
 * A rebalance is one event in which all partitions change their owners at once, so the machine
 * needs no state between two generations.
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

// A reset changes nothing here, because committed offsets are not part of the group's state.
const reset = group.assign({});

/**
 * Pure: checks which events are legal and folds them. The tag `there` means that the group is
 * shown.
 */
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
          description: 'each partition of each topic has one owner',
          always: { guard: 'hasNoMembers', target: 'empty' },
        },
        empty: {
          description: 'the group is deleted when its retention is over',
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

/** The state of a group, as its decisions read it. */
export type ConsumerGroupLife = SnapshotFrom<typeof consumerGroupMachine>;
