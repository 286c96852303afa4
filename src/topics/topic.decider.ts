/** A topic's existence: created once, and wanting its partition logs from then on. */
import { accept, type Decider, type Effect, reject } from '../engine/decider.js';
import type { CreateTopic } from './topic.commands.js';
import { type TopicEvent, topicKind } from './topic.events.js';

/** How many partitions the topic has; 0 = it does not exist. */
export interface TopicState {
  readonly partitions: number;
}

/** The topic's partition logs are there. */
export interface KeepPartitionLogs extends Effect {
  readonly kind: 'keepPartitionLogs';
  readonly partitions: number;
}

const absent: TopicState = { partitions: 0 };

/** Kafka's rule for topic names; names exist inside the log only, never in the file system. */
const topicName = /^[A-Za-z0-9._-]{1,249}$/;

/** Names that begin so are the server's own. */
export const internalPrefix = '__';

/** Why a topic cannot have this name; null = it can. */
export function topicNameProblem(name: string): string | null {
  if (!topicName.test(name) || name === '.' || name === '..') {
    return 'a topic name has 1 to 249 letters, digits, "-", "_" or "." and is not "." or ".."';
  }
  return name.startsWith(internalPrefix)
    ? `names beginning with ${internalPrefix} are taken`
    : null;
}

export const topicDecider: Decider<TopicState, CreateTopic, TopicEvent> = {
  kind: topicKind,
  initialState: () => absent,
  decide: ({ id, partitions }, state) => {
    if (state.partitions > 0) return accept([]);
    const problem = topicNameProblem(id);
    if (problem !== null) return reject('invalid', problem);
    return accept([{ type: 'TopicCreated', partitions }]);
  },
  evolve: (_state, { partitions }) => ({ partitions }),
  wants: ({ partitions }): readonly KeepPartitionLogs[] =>
    partitions === 0
      ? []
      : [{ kind: 'keepPartitionLogs', id: `${partitions} logs`, notBefore: 0, partitions }],
  isFinal: () => false,
};
