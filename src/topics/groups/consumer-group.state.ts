/** A consumer group as the fold of its events: members, owners, generation. */
import type { EventEnvelope } from '../../engine/decider.js';
import { afterMoves, type Owners, type Strategy } from './assignment.policy.js';
import type { ConsumerGroupEvent, Rebalance } from './consumer-group.events.js';
import { Members } from './members.js';
import type { TopicPartition } from './topic-partition.js';

export interface ConsumerGroupState {
  /** `deleting` goes on until its committed offsets are gone. */
  readonly phase: 'absent' | 'live' | 'deleting' | 'removed';
  /** Rises with every change of members or owners; 0 = there was none. */
  readonly generation: number;
  readonly strategy: Strategy;
  readonly members: Members;
  readonly owners: Owners;
  /** Of each topic that a member ever subscribed to: where the journal has that first. */
  readonly firstSubscribed: ReadonlyMap<string, number>;
  /** Since when it has no members, Unix milliseconds; null = it has some. */
  readonly emptySince: number | null;
}

export const absentGroup: ConsumerGroupState = {
  phase: 'absent',
  generation: 0,
  strategy: 'range',
  members: Members.none,
  owners: new Map(),
  firstSubscribed: new Map(),
  emptySince: null,
};

export function evolveGroup(
  state: ConsumerGroupState,
  event: ConsumerGroupEvent,
  { offset, at }: Pick<EventEnvelope, 'offset' | 'at'>,
): ConsumerGroupState {
  switch (event.type) {
    case 'MemberJoined':
    case 'SubscriptionChanged': {
      const { instance, topics } = event;
      const strategy = event.type === 'MemberJoined' ? event.strategy : state.strategy;
      const members = state.members.with(instance, topics);
      const firstSubscribed = subscribed(state.firstSubscribed, topics, offset);
      const next = { ...state, strategy, members, firstSubscribed, emptySince: null };
      return { ...rebalanced(next, event), phase: 'live' };
    }
    case 'MemberLeft': {
      const members = state.members.without(event.instance);
      const emptySince = members.size === 0 ? at : null;
      return rebalanced({ ...state, members, emptySince }, event);
    }
    case 'PartitionsReassigned':
      return rebalanced(state, event);
    case 'GroupDeleted':
      return { ...state, phase: 'deleting' };
    case 'GroupRemoved':
      return { ...state, phase: 'removed' };
  }
}

function rebalanced(
  state: ConsumerGroupState,
  { generation, moved }: Rebalance,
): ConsumerGroupState {
  return { ...state, generation, owners: afterMoves(state.owners, moved) };
}

function subscribed(
  known: ReadonlyMap<string, number>,
  topics: readonly string[],
  offset: number,
): ReadonlyMap<string, number> {
  const added = topics.filter((topic) => !known.has(topic));
  return added.length === 0
    ? known
    : new Map([...known, ...added.map((t) => [t, offset] as const)]);
}

/** What an instance owns of one topic (topics.md 4.5). */
export interface TopicAssignment {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** What each instance owns now. */
export function ownedBy({ owners }: ConsumerGroupState): Map<string, TopicPartition[]> {
  const owned = new Map<string, TopicPartition[]>();
  for (const [topic, list] of owners) {
    for (const [partition, owner] of list.entries()) {
      if (owner === null) continue;
      const own = owned.get(owner);
      if (own === undefined) owned.set(owner, [{ topic, partition }]);
      else own.push({ topic, partition });
    }
  }
  return owned;
}

/** What an instance owns now, by topic. */
export function assignmentsOf({ owners }: ConsumerGroupState, instance: string): TopicAssignment[] {
  const assignments: TopicAssignment[] = [];
  for (const [topic, list] of owners) {
    const partitions = [...list.keys()].filter((partition) => list[partition] === instance);
    if (partitions.length > 0) assignments.push({ topic, partitions });
  }
  return assignments;
}
