/** The state of a consumer group, folded from its events by its machine, and the views of it. */
import { type ContextCodec, machineEvolve } from '../../engine/machines/machine-evolve.js';
import type { TopicPartition } from '../records/topic-partition.js';
import type { GroupContext } from './consumer-group.context.js';
import type { ConsumerGroupEvent } from './consumer-group.events.js';
import { type ConsumerGroupLife, consumerGroupMachine } from './consumer-group.machine.js';
import { Members } from './members.js';

/** The stored form of a context: `members` maps each member's id to its topics. */
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

/** The state of a group before its first member. */
export const absentGroup = machine.initialState();
/** Whether the group's stream has ended, so that its name may start another group. */
export const isRemoved = machine.isFinal;
/** How the states of groups are stored in snapshots, in checkpoints and at rest. */
export const storedGroup = machine.stored;

/** Whether an event can happen to the group now. */
export const canHappen = machine.can;

/** The state after an event; `offset` is the event's journal offset, `at` is Unix milliseconds. */
export function evolveGroup(
  state: ConsumerGroupLife,
  event: ConsumerGroupEvent,
  { offset, at }: { readonly offset: number; readonly at: number },
): ConsumerGroupLife {
  return machine.evolve(state, { ...event, offset, at });
}

/** A group as listings show it and as sessions use it. */
export interface ConsumerGroupState extends GroupContext {
  /** The state of the machine; `deleting` lasts until the committed offsets are gone. */
  readonly phase: 'absent' | 'live' | 'deleting' | 'removed';
}

/** The view of a group. */
export function shownGroup({ value, context }: ConsumerGroupLife): ConsumerGroupState {
  return { ...context, phase: typeof value === 'string' ? value : 'live' };
}

/** The partitions of one topic that an instance owns (topics.md 4.5). */
interface TopicAssignment {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** The partitions that each instance owns now. */
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

/**
 * The partitions that each owning instance has now, by topic; computed in one pass for all
 * instances.
 */
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
