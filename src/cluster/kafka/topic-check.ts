/** Checks the topic before anything is written to it; creates it if it does not exist (ADR 68). */
import { setTimeout as pause } from 'node:timers/promises';
import { asked } from './brokers.js';
import type { KafkaAddress, KafkaTarget } from './kafka-url.js';
import {
  errorCodeOf,
  errorCodes,
  KafkaUnavailable,
  type Metadata,
  type Protocol,
  reasonOf,
} from './protocol.js';
import {
  type DescribedTopic,
  KafkaTopicUnfit,
  newTopic,
  requiredSettings,
  unfitReasons,
} from './topic.js';

const createMs = 5000;

/** The most checks of a new topic, until every broker knows it and it has a leader. */
const examinedMax = 100;
const betweenLooksMs = 100;

/** The resource type of a topic in requests that describe settings. */
const topicResource = 2;

/**
 * Ensures that the topic exists and is fit for a log. Rejects with `KafkaTopicUnfit`, or
 * `KafkaUnavailable`.
 */
export async function prepareTopic(kafka: Protocol, target: KafkaTarget): Promise<void> {
  const check = new TopicCheck(kafka, target);
  const reasons = unfitReasons((await check.describe()) ?? (await check.make()));
  if (reasons.length > 0) throw new KafkaTopicUnfit(target.topic, reasons);
}

class TopicCheck {
  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
  ) {}

  /** Describes the topic; null if it does not exist. */
  async describe(): Promise<DescribedTopic | null> {
    const found = await this.find();
    if (found === null) return null;
    const partitions = found.topics[0]?.partitions ?? [];
    const [broker] = found.brokers;
    if (broker === undefined) throw new KafkaUnavailable('the brokers name none of them');
    const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length));
    return { partitions: partitions.length, replicas, settings: await this.settingsBy(broker) };
  }

  async make(): Promise<DescribedTopic> {
    await this.create();
    let reason: unknown = 'no broker knows it yet';
    for (let look = 0; look < examinedMax; look += 1) {
      try {
        const made = await this.describe();
        if (made !== null) return made;
      } catch (error) {
        reason = error;
      }
      // Not a timer of the `Clock`: such a timer would not keep the process alive, and nothing else
      // may do so yet.
      await pause(betweenLooksMs);
    }
    throw failed('the topic was made', reason);
  }

  /** Looks the topic up, and asks the brokers not to create it automatically. */
  private async find(): Promise<Metadata | null> {
    const { kafka, target } = this;
    const answers = target.brokers.map((broker) =>
      asked(kafka, target, broker, (to) => kafka.metadata(to, [target.topic], false)).catch(
        (error: unknown) => {
          const code = errorCodeOf(error);
          if (code === errorCodes.unknownTopic) return null;
          if (code === errorCodes.topicAuthorizationFailed) this.refuse('Describe');
          throw error;
        },
      ),
    );
    return Promise.any(answers).catch((error: unknown) => {
      throw failed('no broker answers about the topic', error);
    });
  }

  private async create(): Promise<void> {
    const { partitions: numPartitions, replicas: replicationFactor, settings } = newTopic;
    const name = this.target.topic;
    const configs = [...settings];
    const topic = { name, numPartitions, replicationFactor, assignments: [], configs };
    const controller = await this.controller();
    try {
      await asked(this.kafka, this.target, controller, (to) =>
        this.kafka.createTopics(to, [topic], createMs, false),
      );
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === errorCodes.topicExists) return;
      if (code === null) throw failed('the topic was not made', error);
      const reason = `It does not exist, and the brokers refuse to make it: ${reasonOf(error)}`;
      throw new KafkaTopicUnfit(name, [reason]);
    }
  }

  /** The controller: the broker that creates topics. */
  private async controller(): Promise<KafkaAddress> {
    const { kafka, target } = this;
    const answers = target.brokers.map((each) =>
      asked(kafka, target, each, (to) => kafka.metadata(to, [], false)),
    );
    const { brokers, controllerId } = await Promise.any(answers).catch((error: unknown) => {
      throw failed('no broker answers', error);
    });
    const controller = brokers.find(({ nodeId }) => nodeId === controllerId);
    if (controller === undefined) throw new KafkaUnavailable('the brokers have no controller now');
    return controller;
  }

  private async settingsBy(broker: KafkaAddress): Promise<ReadonlyMap<string, string>> {
    const resource = {
      resourceType: topicResource,
      resourceName: this.target.topic,
      configurationKeys: [...requiredSettings],
    };
    try {
      const { results } = await asked(this.kafka, this.target, broker, (to) =>
        this.kafka.describeConfigs(to, [resource], false, false),
      );
      const configs = results.flatMap((result) => result.configs);
      return new Map(configs.map(({ name, value }) => [name, value ?? '']));
    } catch (error) {
      if (errorCodeOf(error) === errorCodes.topicAuthorizationFailed) {
        this.refuse('DescribeConfigs');
      }
      throw failed('no broker answers with the settings of the topic', error);
    }
  }

  private refuse(right: string): never {
    throw new KafkaTopicUnfit(this.target.topic, [`The user may not ${right} it.`]);
  }
}

function failed(what: string, error: unknown): Error {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const unfit = errors.find((each) => each instanceof KafkaTopicUnfit);
  if (unfit !== undefined) return unfit;
  return new KafkaUnavailable(`${what}: ${reasonOf(error)}`, { cause: error });
}
