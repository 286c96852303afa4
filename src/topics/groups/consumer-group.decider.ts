/** The decider of a consumer group, which coordinates its members. */
import {
  accept,
  type Command,
  type Decider,
  type Decision,
  type Effect,
  type EventEnvelope,
} from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { permitsAll } from '../../http/identity/grant.js';
import { assign, movesBetween, type Strategy } from './assignment.policy.js';
import type { OpenConsumer } from './consumer.commands.js';
import { consumerId, consumerKind } from './consumer.events.js';
import type {
  ChangeSubscription,
  ConsumerGroupCommand,
  ExpireGroup,
  JoinGroup,
  MembershipReceipt,
  ResetOffsets,
} from './consumer-group.commands.js';
import {
  type ConsumerGroupEvent,
  consumerGroupKind,
  type Rebalance,
} from './consumer-group.events.js';
import type { ConsumerGroupLife } from './consumer-group.machine.js';
import {
  absentGroup,
  canHappen,
  evolveGroup,
  isRemoved,
  storedGroup,
} from './consumer-group.state.js';
import type { Members } from './members.js';

/** What a group's decisions read besides the group's state. */
export interface GroupView {
  /** Number of partitions of a topic; 0 = there is no such topic. */
  partitionsOf(topic: string): number;
  /** Partitions of all topics. */
  readonly partitions: number;
  /** Number of groups, including those whose offsets are still being deleted. */
  readonly groups: number;
  /** Instances of all groups. */
  readonly instances: number;
  readonly limits: { readonly groupsMax: number; readonly consumersMax: number };
}

/** Deletes the group, unless an instance joins before. */
export interface ExpireGroupEffect extends Effect {
  readonly kind: 'expireGroup';
  readonly emptySince: number;
}

/** Deletes the committed offsets of a deleted group. */
export interface ForgetOffsets extends Effect {
  readonly kind: 'forgetOffsets';
}

type GroupDecision = Decision<ConsumerGroupEvent>;

const removed: ConsumerGroupEvent = { type: 'GroupRemoved' };

/** Maximum length of a group's name or an instance's id, which appear in keys and index terms. */
const nameLengthMax = 256;

function decide(
  command: ConsumerGroupCommand,
  state: ConsumerGroupLife,
  view: GroupView,
): GroupDecision {
  if (command.type === 'JoinGroup') return join(command, state, view);
  if (!state.hasTag('there')) return new Refusal('not_found', `group ${command.id} not found`);
  switch (command.type) {
    case 'ChangeSubscription':
      return changeSubscription(command, state, view);
    case 'LeaveGroup':
      return leave(command.instance, state, view);
    case 'ReassignGroup':
      return reassign(state, view);
    case 'ResetOffsets':
      return reset(command, state);
    case 'DeleteGroup':
      return remove(command.id, state);
    case 'ExpireGroup':
      return expire(command, state);
    case 'RemoveGroup':
      return canHappen(state, removed)
        ? accept([removed])
        : new Refusal('conflict', `group ${command.id} is not being deleted`);
  }
}

function join(command: JoinGroup, state: ConsumerGroupLife, view: GroupView): GroupDecision {
  const refusal = joinRefusal(command, state, view);
  if (refusal !== null) return refusal;
  const { instance, topics } = command;
  if (state.context.members.has(instance)) return accept([], receipt(state.context.generation));
  const strategy = strategyOf(command, state);
  const members = state.context.members.with(instance, topics);
  const rebalance = rebalanceOf(state, strategy, members, view);
  return accept(
    [{ type: 'MemberJoined', instance, topics, strategy, ...rebalance }],
    receipt(rebalance.generation),
  );
}

/**
 * Why an instance may not join; null = it may. `toCome` is the number of partitions of topics that
 * the request would create before it joins.
 */
export function joinRefusal(
  command: JoinGroup,
  state: ConsumerGroupLife,
  view: GroupView,
  toCome = 0,
): Refusal | null {
  const { id, instance } = command;
  const { members, strategy } = state.context;
  if (!state.hasTag('joinable')) return new Refusal('conflict', `group ${id} is being deleted`);
  const problem = nameProblem('group', id) ?? nameProblem('instance', instance);
  if (problem !== null) return new Refusal('invalid', problem);
  if (!permitsAll(command.grant, 'consume', members.topics)) return forbidden(id);
  if (members.has(instance)) return null;
  const wanted = strategyOf(command, state);
  if (members.size > 0 && wanted !== strategy) {
    return new Refusal('conflict', `group ${id} assigns by ${strategy}, not by ${wanted}`);
  }
  const partitions = view.partitions + toCome;
  // If no partition exists at all, an instance may still join and wait for its topic.
  if (partitions > 0 && members.size >= partitions) {
    const limit = `all topics have ${partitions} partitions`;
    return new Refusal('conflict', `group ${id} has ${members.size} instances, and ${limit}`);
  }
  const full = tooMany(state, view);
  return full === null ? null : new Refusal('conflict', full);
}

function strategyOf({ strategy }: JoinGroup, { context }: ConsumerGroupLife): Strategy {
  return strategy ?? (context.members.size === 0 ? 'range' : context.strategy);
}

function changeSubscription(
  { id, instance, topics, grant }: ChangeSubscription,
  state: ConsumerGroupLife,
  view: GroupView,
): GroupDecision {
  if (!permitsAll(grant, 'consume', state.context.members.topics)) return forbidden(id);
  const current = state.context.members.topicsOf(instance);
  if (current === undefined)
    return new Refusal('not_found', `group ${id} has no instance ${instance}`);
  if (isSameSet(current, topics)) return accept([], receipt(state.context.generation));
  const members = state.context.members.with(instance, topics);
  const rebalance = rebalanceOf(state, state.context.strategy, members, view);
  return accept(
    [{ type: 'SubscriptionChanged', instance, topics, ...rebalance }],
    receipt(rebalance.generation),
  );
}

function leave(instance: string, state: ConsumerGroupLife, view: GroupView): GroupDecision {
  if (!state.context.members.has(instance)) return accept([]);
  const members = state.context.members.without(instance);
  const rebalance = rebalanceOf(state, state.context.strategy, members, view);
  return accept([{ type: 'MemberLeft', instance, ...rebalance }]);
}

function reassign(state: ConsumerGroupLife, view: GroupView): GroupDecision {
  const rebalance = rebalanceOf(state, state.context.strategy, state.context.members, view);
  if (rebalance.moved.length === 0) return accept([]);
  return accept([{ type: 'PartitionsReassigned', ...rebalance }]);
}

function remove(id: string, state: ConsumerGroupLife): GroupDecision {
  if (state.hasTag('deleting')) return accept([]);
  const deleted: ConsumerGroupEvent = { type: 'GroupDeleted', cause: 'request' };
  return canHappen(state, deleted) ? accept([deleted]) : inUse(id, state);
}

function reset({ id, moves }: ResetOffsets, state: ConsumerGroupLife): GroupDecision {
  if (state.hasTag('deleting')) return new Refusal('conflict', `group ${id} is being deleted`);
  const moved: ConsumerGroupEvent = { type: 'OffsetsReset', moves };
  return canHappen(state, moved) ? accept([moved]) : inUse(id, state);
}

function inUse(id: string, { context: { members } }: ConsumerGroupLife): GroupDecision {
  const message = `group ${id} has ${members.size} instances; delete them first`;
  return new Refusal('conflict', message);
}

function expire({ id, emptySince }: ExpireGroup, state: ConsumerGroupLife): GroupDecision {
  const deleted: ConsumerGroupEvent = { type: 'GroupDeleted', cause: 'retention' };
  const isSelected = state.context.emptySince === emptySince;
  if (isSelected && canHappen(state, deleted)) return accept([deleted]);
  return new Refusal('conflict', `group ${id} has been in use`);
}

function rebalanceOf(
  state: ConsumerGroupLife,
  strategy: Strategy,
  members: Members,
  view: GroupView,
): Rebalance {
  const partitionsOf = (topic: string) => view.partitionsOf(topic);
  const owners = assign(strategy, members, partitionsOf, state.context.owners);
  return {
    generation: state.context.generation + 1,
    moved: movesBetween(state.context.owners, owners),
  };
}

/** Why the server cannot take one more instance; null = it can. */
function tooMany(state: ConsumerGroupLife, view: GroupView): string | null {
  const { groups, instances, limits } = view;
  if (!state.hasTag('there') && groups >= limits.groupsMax) {
    return `there may be ${limits.groupsMax} consumer groups (STEPWELL_GROUPS_MAX)`;
  }
  if (instances < limits.consumersMax) return null;
  return `there may be ${limits.consumersMax} consumer instances (STEPWELL_CONSUMERS_MAX)`;
}

/** May also be the answer to the second of two instances that join a new group at once. */
function forbidden(id: string): Refusal {
  const message = `forbidden: this credential may not consume every topic of group ${id}`;
  return new Refusal('forbidden', message);
}

function receipt(generation: number): MembershipReceipt {
  return { generation };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const set = new Set(one);
  return set.size === new Set(other).size && other.every((each) => set.has(each));
}

/** Clients resolve `.` and `..` in a path, so such names could never be addressed. */
function nameProblem(what: string, name: string): string | null {
  const isStep = name === '.' || name === '..';
  if (name.length > 0 && name.length <= nameLengthMax && !isStep) return null;
  return `the name of a consumer ${what} has 1 to ${nameLengthMax} letters, and is not "." or ".."`;
}

/** Opens the consumer of an instance that joined, in the same turn. */
function react(
  { id, at, event }: EventEnvelope<ConsumerGroupEvent>,
  _state: ConsumerGroupLife,
  _names: unknown,
  command: ConsumerGroupCommand,
): readonly Command[] {
  if (event.type !== 'MemberJoined' || command.type !== 'JoinGroup') return [];
  const { settings } = command;
  const consumer = consumerId({ group: id, instance: event.instance });
  const open: OpenConsumer = {
    type: 'OpenConsumer',
    kind: consumerKind,
    id: consumer,
    at,
    settings,
  };
  return [open];
}

/** The decider; `retentionMs` is how long a group without members keeps its committed offsets. */
export function consumerGroupDecider(
  retentionMs: number,
): Decider<ConsumerGroupLife, ConsumerGroupCommand, ConsumerGroupEvent, GroupView> {
  const wants = (state: ConsumerGroupLife): readonly (ExpireGroupEffect | ForgetOffsets)[] => {
    if (state.hasTag('deleting')) return [{ kind: 'forgetOffsets', id: 'forget', notBefore: 0 }];
    const { emptySince } = state.context;
    if (!state.hasTag('deletable') || emptySince === null) return [];
    const notBefore = emptySince + retentionMs;
    return [{ kind: 'expireGroup', id: `empty since ${emptySince}`, notBefore, emptySince }];
  };
  return {
    kind: consumerGroupKind,
    events: {
      MemberJoined: [],
      SubscriptionChanged: [],
      MemberLeft: [],
      PartitionsReassigned: [],
      OffsetsReset: [],
      GroupDeleted: [],
      GroupRemoved: [],
    },
    initialState: () => absentGroup,
    decide,
    evolve: evolveGroup,
    handles: canHappen,
    react,
    wants,
    isFinal: isRemoved,
    checkpoints: { references: () => [] },
    stored: storedGroup,
  };
}
