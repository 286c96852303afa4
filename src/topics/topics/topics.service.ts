/** Finds a topic's logs for a request, and creates the topic if the request may do so. */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { turnCommandsMax } from '../../engine/turn.js';
import { Refusal } from '../../grammar/result.js';
import type { TopicSettings } from '../settings.js';
import type { EnsureTopic } from './topic.commands.js';
import { topicNameProblem } from './topic.decider.js';
import { Topics } from './topic.entity.js';
import { topicKind } from './topic.events.js';
import { TopicLogs, unknownTopic } from './topic-logs.js';

/** How topics that a request names are created (docs/configuration.md). */
type TopicDefaults = Pick<TopicSettings, 'topicPartitions' | 'topicAutoCreate'>;

/**
 * One instance for the server. Returns refusals as values: 404 if topics are not created
 * automatically, and the refusals of the topics' decider.
 */
@Injectable()
export class TopicsService {
  constructor(
    private readonly engine: Engine,
    private readonly topics: Topics,
    private readonly topicLogs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly defaults: TopicDefaults,
  ) {}

  /** Creates a missing topic and returns its logs; 404 if topics are not created automatically. */
  async create(topic: string, by: Principal | null): Promise<readonly PartitionLog[] | Refusal> {
    if (!this.defaults.topicAutoCreate) return unknownTopic(topic);
    const refusal = await this.ensure([topic], by);
    if (refusal !== null) return refusal;
    return (await this.opened(topic, 1)) ?? unknownTopic(topic);
  }

  /**
   * Creates the missing ones of `topics`, all of them or none; resolves with null once they exist
   * durably. Does nothing if topics are not created automatically.
   */
  async ensure(topics: Iterable<string>, by: Principal | null): Promise<Refusal | null> {
    const missing = [...topics].filter((topic) => this.topicLogs.present(topic).length === 0);
    if (missing.length === 0 || !this.defaults.topicAutoCreate) return null;
    if (missing.length > turnCommandsMax) {
      const message = `one request makes ${turnCommandsMax} topics at most, not ${missing.length}`;
      return new Refusal('invalid', message);
    }
    const commands = missing.map((topic) => this.creation(topic));
    const outcomes = await this.engine.dispatchTogether(commands, by);
    for (const outcome of outcomes) if (!outcome.ok) return outcome;
    return null;
  }

  /** How many partitions `ensure` would create for the missing ones of `topics`. */
  partitionsToCome(topics: readonly string[]): number {
    const { topicAutoCreate, topicPartitions } = this.defaults;
    const missing = topics.filter((topic) => this.topics.existing(topic) === undefined);
    return topicAutoCreate ? missing.length * topicPartitions : 0;
  }

  /**
   * The logs of an existing topic, once `partitions` of them are open; undefined if it is deleted.
   */
  opened(topic: string, partitions: number): Promise<readonly PartitionLog[] | undefined> {
    const exists = () => this.topics.existing(topic) !== undefined;
    return this.topicLogs.opened(topic, partitions, exists);
  }

  /**
   * The logs of a topic by partition; a missing topic is created first, if topics are created
   * automatically. 400 if no topic can have this name.
   */
  async forConsume(
    topic: string,
    by: Principal | null,
  ): Promise<readonly PartitionLog[] | Refusal> {
    const logs = (await this.topicLogs.logs(topic)) ?? (await this.create(topic, by));
    // A reader may wait for a topic that is created later, but not for one that cannot exist.
    const isAbsent = logs instanceof Refusal && logs.code === 'not_found';
    const problem = isAbsent ? topicNameProblem(topic) : null;
    return problem === null ? logs : new Refusal('invalid', problem);
  }

  private creation(topic: string): EnsureTopic {
    const { topicPartitions: partitions } = this.defaults;
    const at = this.clock.now();
    return { type: 'EnsureTopic', kind: topicKind, id: topic, at, partitions };
  }
}
