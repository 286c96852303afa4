/** The requirements that a Kafka topic must meet to hold a shared log (ADR 68). */
import { partBytesMax } from '../entry.js';

/** A topic as its brokers describe it. */
export interface DescribedTopic {
  readonly partitions: number;
  /** Number of replicas of the partition that has the fewest. */
  readonly replicas: number;
  /** Settings of the topic by name, including those that it inherits from the brokers. */
  readonly settings: ReadonlyMap<string, string>;
}

/** The topic may lose acknowledged entries, or this log cannot be written to it. */
export class KafkaTopicUnfit extends Error {
  override readonly name = 'KafkaTopicUnfit';

  constructor(topic: string, reasons: readonly string[]) {
    super(`the topic ${topic} cannot hold a shared log. ${reasons.join(' ')}`);
  }
}

/** The largest part, plus the header of its entry and Kafka's overhead for a record. */
const recordBytesMax = partBytesMax + 1024;

interface Requirement {
  readonly setting: string;
  readonly isMet: (value: string) => boolean;
  readonly must: string;
  /** The reason, as the end of a sentence that names the setting and its value. */
  readonly because: string;
  /** The value for a new topic, if it differs from the default of every broker. */
  readonly made?: string;
}

const requirements: readonly Requirement[] = [
  {
    setting: 'min.insync.replicas',
    isMet: (value) => Number(value) >= 2,
    must: 'at least 2',
    because: 'one broker alone must not acknowledge',
    made: '2',
  },
  {
    setting: 'unclean.leader.election.enable',
    isMet: (value) => value === 'false',
    must: 'false',
    because: 'a broker that lacks acknowledged entries must not lead',
    made: 'false',
  },
  {
    setting: 'cleanup.policy',
    isMet: (value) => value === 'delete',
    must: 'delete',
    because: 'compaction removes entries that are still needed',
    made: 'delete',
  },
  {
    setting: 'retention.ms',
    isMet: (value) => value === '-1',
    must: '-1',
    because: 'only Stepwell knows which entries are no longer needed',
    made: '-1',
  },
  {
    setting: 'retention.bytes',
    isMet: (value) => value === '-1',
    must: '-1',
    because: 'only Stepwell knows which entries are no longer needed',
    made: '-1',
  },
  {
    setting: 'max.message.bytes',
    isMet: (value) => Number(value) >= recordBytesMax,
    must: `at least ${recordBytesMax}`,
    because: 'an entry may be that large',
  },
  {
    setting: 'message.timestamp.type',
    isMet: (value) => value === 'LogAppendTime',
    must: 'LogAppendTime',
    because: 'the time of an entry must be that of the log',
    made: 'LogAppendTime',
  },
  {
    setting: 'compression.type',
    isMet: (value) => value === 'producer' || value === 'uncompressed',
    must: 'producer or uncompressed',
    because: 'not every Node.js reads what a broker would compress',
  },
];

/** How the topic is created if it does not exist. */
export const newTopic = {
  partitions: 1,
  replicas: 3,
  settings: requirements.flatMap(({ setting: name, made: value }) =>
    value === undefined ? [] : [{ name, value }],
  ),
} as const;

/** The settings to ask brokers about. */
export const requiredSettings: readonly string[] = requirements.map(({ setting }) => setting);

/** The reasons why a topic cannot hold a shared log, one sentence each; empty if it can. */
export function unfitReasons(topic: DescribedTopic): string[] {
  const reasons: string[] = [];
  if (topic.partitions !== newTopic.partitions) {
    reasons.push(`It has ${topic.partitions} partitions and must have one, which gives one order.`);
  }
  if (topic.replicas < newTopic.replicas) {
    reasons.push(
      `It has ${topic.replicas} replicas and must have at least three, so that one may be away.`,
    );
  }
  for (const { setting, isMet, must, because } of requirements) {
    const value = topic.settings.get(setting);
    if (value === undefined)
      reasons.push(`The brokers do not report ${setting}, which must be ${must}.`);
    else if (!isMet(value)) reasons.push(`${setting} is ${value} and must be ${must}: ${because}.`);
  }
  return reasons;
}
