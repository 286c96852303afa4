/** Finds a topic's logs for a request, and makes the topic exist where a produce may. */
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { type Engine, turnCommandsMax } from '../../engine/engine.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import { type SharedRead, SharedReads } from './shared-reads.js';
import type { EnsureTopic } from './topic.commands.js';
import { topicNameProblem } from './topic.decider.js';
import { topicKind } from './topic.events.js';
import type { Topic, TopicState } from './topic.state.js';
import type { TopicAccess } from './topic-access.js';
import type { TopicLogs } from './topic-logs.js';

/** How topics that a produce names come to be (docs/configuration.md). */
export interface TopicDefaults {
  readonly partitions: number;
  readonly autoCreate: boolean;
}

export class TopicsService implements TopicAccess {
  private readonly reads = new SharedReads();

  constructor(
    private readonly engine: Engine,
    private readonly topicLogs: TopicLogs,
    private readonly clock: Clock,
    private readonly defaults: TopicDefaults,
  ) {}

  /** The logs of a topic that may have to be created first. */
  async forProduce(topic: string): Promise<readonly PartitionLog[] | Refusal> {
    const existing = await this.topicLogs.logs(topic);
    if (existing !== undefined) return existing;
    if (!this.defaults.autoCreate) return unknownTopic(topic);
    const refusal = await this.ensure([topic]);
    if (refusal !== null) return refusal;
    return (await this.opened(topic, 1)) ?? unknownTopic(topic);
  }

  /**
   * Makes those of `topics` that are not there, all of them or none; null once they are. Where
   * topics do not come by themselves nothing is done.
   */
  async ensure(topics: Iterable<string>): Promise<Refusal | null> {
    const missing = [...topics].filter((topic) => this.topicLogs.present(topic).length === 0);
    if (missing.length === 0 || !this.defaults.autoCreate) return null;
    if (missing.length > turnCommandsMax) {
      const message = `one request makes ${turnCommandsMax} topics at most, not ${missing.length}`;
      return { status: 400, message };
    }
    const commands = missing.map((topic) => this.creation(topic));
    const outcomes = await this.engine.dispatchTogether(commands);
    for (const outcome of outcomes) if (!outcome.accepted) return refusalOf(outcome.rejection);
    return null;
  }

  private creation(topic: string): EnsureTopic {
    const { partitions } = this.defaults;
    const at = this.clock.now();
    return { type: 'EnsureTopic', kind: topicKind, id: topic, at, partitions };
  }

  /** The logs of a topic that exists by now, once so many are there; undefined if it is deleted. */
  opened(topic: string, partitions: number): Promise<readonly PartitionLog[] | undefined> {
    return this.topicLogs.opened(topic, partitions, () => this.find(topic) !== undefined);
  }

  async forConsume(topic: string): Promise<readonly PartitionLog[] | Refusal> {
    const logs = await this.forProduce(topic);
    // A reader may wait for a topic that is made later, but for none that cannot be.
    const problem = 'status' in logs && logs.status === 404 ? topicNameProblem(topic) : null;
    return problem === null ? logs : { status: 400, message: problem };
  }

  /** The log of one partition that exists. */
  async forRead(topic: string, partition: number): Promise<PartitionLog | Refusal> {
    const logs = await this.topicLogs.logs(topic);
    if (logs === undefined) return unknownTopic(topic);
    return logs[partition] ?? unknownPartition(topic, partition);
  }

  logs(topic: string): Promise<readonly PartitionLog[] | undefined> {
    return this.topicLogs.logs(topic);
  }

  read(log: PartitionLog, effect: SharedRead): Promise<readonly RecordBatch[]> {
    return this.reads.read(log, effect);
  }

  partitionsOf(topic: string): number {
    return this.find(topic)?.partitions ?? 0;
  }

  openInternal(name: string): Promise<PartitionLog> {
    return this.topicLogs.openInternal(name);
  }

  onDropped(hook: (topic: string) => Promise<void>): void {
    this.topicLogs.onDropped(hook);
  }

  onPartitions(listener: (topic: string) => void): void {
    this.topicLogs.onPartitions(listener);
  }

  /** The topic as it is by now, unless it is being deleted; show it once that is durable. */
  find(topic: string): Topic | undefined {
    const state = this.engine.actors(topicKind).stateOf(topic) as TopicState;
    return state === null || state.isDeleting ? undefined : state;
  }

  /** Every topic's name, in order; show them once that is durable. */
  names(): string[] {
    const names = [...this.engine.actors(topicKind).ids()];
    return names.filter((name) => this.find(name) !== undefined).sort();
  }

  /** Every topic's name and partition count; the server's own topics are not topics. */
  list(): Record<string, number> {
    const list: Record<string, number> = Object.create(null);
    for (const name of this.names()) list[name] = this.partitionsOf(name);
    return list;
  }
}

export function unknownTopic(topic: string): Refusal {
  return { status: 404, message: `topic ${topic} not found` };
}

export function unknownPartition(topic: string, partition: number): Refusal {
  return { status: 404, message: `${topic} has no partition ${partition}` };
}
