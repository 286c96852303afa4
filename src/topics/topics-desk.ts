/** Finds a topic's logs for a request, and makes the topic exist where a produce may. */
import type { PartitionLog } from '../../storage/partition-log.js';
import type { Clock } from '../engine/clock.js';
import type { Engine } from '../engine/engine.js';
import { type Refusal, refusalOf } from '../http/error-shapes.js';
import type { CreateTopic } from './topic.commands.js';
import { internalPrefix, type TopicState } from './topic.decider.js';
import { topicKind } from './topic.events.js';
import type { TopicLogs } from './topic-logs.js';

/** How topics that a produce names come to be (configuration: topics). */
export interface TopicDefaults {
  readonly partitions: number;
  readonly autoCreate: boolean;
}

export class TopicsDesk {
  constructor(
    private readonly engine: Engine,
    private readonly logs: TopicLogs,
    private readonly clock: Clock,
    private readonly defaults: TopicDefaults,
  ) {}

  /** The logs of a topic that may have to be created first. */
  async forProduce(topic: string): Promise<readonly PartitionLog[] | Refusal> {
    const existing = await this.logs.logs(topic);
    if (existing !== undefined) return existing;
    if (!this.defaults.autoCreate) return unknownTopic(topic);
    const command: CreateTopic = {
      type: 'CreateTopic',
      kind: topicKind,
      id: topic,
      at: this.clock.now(),
      partitions: this.defaults.partitions,
    };
    const [outcome] = await this.engine.dispatch([command]);
    if (outcome !== undefined && !outcome.accepted) return refusalOf(outcome.rejection);
    return this.logs.opened(topic);
  }

  /** The log of one partition that exists. */
  async forRead(topic: string, partition: number): Promise<PartitionLog | Refusal> {
    const logs = await this.logs.logs(topic);
    if (logs === undefined) return unknownTopic(topic);
    return logs[partition] ?? { status: 404, message: `${topic} has no partition ${partition}` };
  }

  /** Every topic's name and partition count; the server's own topics are not shown. */
  list(): Record<string, number> {
    const topics = this.engine.actors(topicKind);
    const names = [...topics.ids()].filter((name) => !name.startsWith(internalPrefix)).sort();
    const list: Record<string, number> = Object.create(null);
    for (const name of names) list[name] = (topics.stateOf(name) as TopicState).partitions;
    return list;
  }
}

function unknownTopic(topic: string): Refusal {
  return { status: 404, message: `topic ${topic} not found` };
}
