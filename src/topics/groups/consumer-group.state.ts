/** A consumer group as the fold of its events through its machine, and what is read of it. */
import { type ContextCodec, machineEvolve } from '../../engine/machines/machine-evolve.js';
import type { TopicPartition } from '../records/topic-partition.js';
import type { GroupContext } from './consumer-group.context.js';
import type { ConsumerGroupEvent } from './consumer-group.events.js';
import { type ConsumerGroupLife, consumerGroupMachine } from './consumer-group.machine.js';
import { Members } from './members.js';

/** With the topics of each member, by its id. */
type PlainContext = Omit<GroupContext, 'members'> & {
  readonly members: ReadonlyMap<string, readonly string[]>;
};

const codec: ContextCodec<GroupContext, PlainContext> = {
  toPlain: (context) => ({
    ...context,
    members: new Map([...context.members].map(({ instance, topics }) => [instance, topics])),
  }),
  fromPlain: (plain) => ({ ...plain, members: Members.of(plain.members) }),
};

const machine = machineEvolve(consumerGroupMachine, codec);

/** What a group is before its first member. */
export const absentGroup = machine.initialState();
/** Whether its stream is over: the name may begin another group. */
export const isRemoved = machine.isFinal;
/** How its states are stored in snapshots, checkpoints and while they rest. */
export const storedGroup = machine.stored;

/** Whether such an event can happen to the group now. */
export const canHappen = machine.can;

/** `offset` is that of the event in the journal, `at` is Unix milliseconds. */
export function evolveGroup(
  state: ConsumerGroupLife,
  event: ConsumerGroupEvent,
  { offset, at }: { readonly offset: number; readonly at: number },
): ConsumerGroupLife {
  return machine.evolve(state, { ...event, offset, at });
}

/** A group as it is shown and as sessions act on it. */
export interface ConsumerGroupState extends GroupContext {
  /** The state of its machine; `deleting` goes on until its committed offsets are gone. */
  readonly phase: 'absent' | 'live' | 'deleting' | 'removed';
}

/** What is shown of a group. */
export function shownGroup({ value, context }: ConsumerGroupLife): ConsumerGroupState {
  return { ...context, phase: typeof value === 'string' ? value : 'live' };
}

/** What an instance owns of one topic (topics.md 4.5). */
interface TopicAssignment {
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

/** What each instance owns now, by topic: of those that own something, in one pass for all. */
export function assignmentsIn({ owners }: Pick<ConsumerGroupState, 'owners'>) {
  const assignments = new Map<string, TopicAssignment[]>();
  for (const [topic, list] of owners) {
    const ofTopic = new Map<string, number[]>();
    for (const [partition, owner] of list.entries()) {
      if (owner === null) continue;
      const own = ofTopic.get(owner);
      if (own === undefined) ofTopic.set(owner, [partition]);
      else own.push(partition);
    }
    for (const [owner, partitions] of ofTopic) {
      const own = assignments.get(owner);
      if (own === undefined) assignments.set(owner, [{ topic, partitions }]);
      else own.push({ topic, partitions });
    }
  }
  return assignments;
}
