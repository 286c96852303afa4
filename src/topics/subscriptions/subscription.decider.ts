/** The decider of a subscription, which also controls the partitions that it pushes. */
import {
  accept,
  type Decider,
  type Decision,
  type Effect,
  type EventEnvelope,
} from '../../engine/decider.js';
import { machineEvolve } from '../../engine/machines/machine-evolve.js';
import { parseName } from '../../grammar/name.js';
import { Refusal } from '../../grammar/result.js';
import type { CreateSubscription, SubscriptionCommand } from './subscription.commands.js';
import { type SubscriptionEvent, subscriptionKind } from './subscription.events.js';
import { type SubscriptionState, subscriptionMachine } from './subscription.machine.js';
import { liftDeletedToVersion2 } from './subscription.upcasters.js';
import type {
  OpenPartition,
  SubscriptionPartitionCommand,
} from './subscription-partition.commands.js';
import {
  subscriptionPartitionId,
  subscriptionPartitionKind,
} from './subscription-partition.events.js';

/** Watches the number of partitions of the topic, and reports additional ones. */
export interface FollowTopic extends Effect {
  readonly kind: 'followTopic';
  readonly topic: string;
  /** The number of partitions that is already known. */
  readonly partitions: number;
}

/** What a decision reads besides the subscription's state. */
export interface SubscriptionView {
  /** Number of partitions of a topic; 0 = there is no such topic. */
  partitionsOf(topic: string): number;
}

/** With more records, a read could exceed what one message can hold. */
export const maxRecordsMax = 500;

const machine = machineEvolve(subscriptionMachine);

function decide(
  command: SubscriptionCommand,
  state: SubscriptionState,
  view: SubscriptionView,
): Decision<SubscriptionEvent> {
  const { id } = command;
  if (command.type === 'CreateSubscription') {
    return state.hasTag('there')
      ? new Refusal('conflict', `subscription ${id} exists`)
      : create(command, view);
  }
  if (!state.hasTag('there')) return new Refusal('not_found', `subscription ${id} not found`);
  switch (command.type) {
    case 'GrowSubscription': {
      const { partitions } = command;
      const from = state.context.partitions;
      return where(state, { type: 'SubscriptionGrown', from, partitions });
    }
    case 'PauseSubscription':
      return where(state, { type: 'SubscriptionPaused' });
    case 'ResumeSubscription':
      return where(state, { type: 'SubscriptionResumed' });
    case 'DeleteSubscription':
      return accept([{ type: 'SubscriptionDeleted', cause: command.cause }]);
  }
}

/** Accepts the event if the machine handles it now; a repeated command changes nothing. */
function where(state: SubscriptionState, event: SubscriptionEvent): Decision<SubscriptionEvent> {
  return accept(machine.can(state, event) ? [event] : []);
}

function create(
  { id, definition, positions }: CreateSubscription,
  view: SubscriptionView,
): Decision<SubscriptionEvent> {
  const name = parseName(id);
  if (!name.ok) return new Refusal('invalid', `the name ${name.message}`);
  const { topic, maxRecords } = definition;
  if (!Number.isInteger(maxRecords) || maxRecords < 1 || maxRecords > maxRecordsMax) {
    return new Refusal('invalid', `maxRecords must be a whole number from 1 to ${maxRecordsMax}`);
  }
  // The topic may have been deleted since the positions were looked up.
  if (view.partitionsOf(topic) === 0) return new Refusal('not_found', `topic ${topic} not found`);
  return accept([{ type: 'SubscriptionCreated', ...definition, positions }]);
}

function evolve(
  state: SubscriptionState,
  event: SubscriptionEvent,
  { at }: EventEnvelope<SubscriptionEvent>,
): SubscriptionState {
  return machine.evolve(state, { ...event, at });
}

/**
 * Every partition is opened, paused, resumed and closed with its subscription, in the same turn.
 */
function react(
  { id, at, event }: EventEnvelope<SubscriptionEvent>,
  { value, context }: SubscriptionState,
): readonly SubscriptionPartitionCommand[] {
  const address = (partition: number) => ({
    kind: subscriptionPartitionKind,
    id: subscriptionPartitionId({ subscription: id, partition }),
    at,
  });
  const isPaused = value === 'paused';
  const open = (partition: number, position: number): OpenPartition => {
    return { type: 'OpenPartition', ...address(partition), position, isPaused };
  };
  const all = <Type extends string>(type: Type) =>
    numbers(0, context.partitions).map((partition) => ({ type, ...address(partition) }));
  switch (event.type) {
    case 'SubscriptionCreated':
      return event.positions.map((position, partition) => open(partition, position));
    case 'SubscriptionGrown':
      return numbers(event.from, event.partitions).map((partition) => open(partition, 0));
    case 'SubscriptionPaused':
      return all('PausePartition');
    case 'SubscriptionResumed':
      return all('ResumePartition');
    case 'SubscriptionDeleted':
      return all('ClosePartition');
  }
}

/** The whole numbers in [from, until). */
function numbers(from: number, until: number): number[] {
  return Array.from({ length: until - from }, (_, index) => from + index);
}

/**
 * A paused subscription also follows its topic: the records of new partitions are pushed once it is
 * resumed.
 */
function wants({ context }: SubscriptionState): readonly FollowTopic[] {
  const { definition, partitions } = context;
  if (definition === null) return [];
  const { topic } = definition;
  return [{ kind: 'followTopic', id: `beyond ${partitions}`, notBefore: 0, topic, partitions }];
}

/**
 * 409 for a name that is taken; 404 for a subscription that does not exist, or whose topic does
 * not.
 */
export const subscriptionDecider: Decider<
  SubscriptionState,
  SubscriptionCommand,
  SubscriptionEvent,
  SubscriptionView
> = {
  kind: subscriptionKind,
  events: {
    SubscriptionCreated: [],
    SubscriptionGrown: [],
    SubscriptionPaused: [],
    SubscriptionResumed: [],
    SubscriptionDeleted: [liftDeletedToVersion2],
  },
  initialState: machine.initialState,
  decide,
  evolve,
  handles: machine.can,
  react,
  wants,
  isFinal: machine.isFinal,
  checkpoints: { references: () => [] },
  stored: machine.stored,
  restsIdle: true,
};
