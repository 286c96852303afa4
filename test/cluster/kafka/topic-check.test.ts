import { ResponseError } from '@platformatic/kafka';
import { parseKafkaUrl } from '../../../src/cluster/kafka/kafka-url.js';
import type { Protocol } from '../../../src/cluster/kafka/protocol.js';
import { newTopic } from '../../../src/cluster/kafka/topic.js';
import { prepareTopic } from '../../../src/cluster/kafka/topic-check.js';
import { describeWithMockBrokers, MockBrokers } from '../mock-brokers/mock-brokers.js';
import { oldProtocol } from '../mock-brokers/old-protocol.js';

const refusal = (key: number, code: number, said: string | null = null) =>
  new ResponseError(key, 0, { '/': [code, said] }, {});

const unknownTopic = 3;
const notPermitted = 29;
const badReplication = 38;
const topicExists = 36;

/** Mock brokers do not describe settings or create topics, so their answers are faked here. */
describeWithMockBrokers('the topic of a log', () => {
  let brokers: MockBrokers;
  let protocol: Protocol;
  const settings = (changed: Readonly<Record<string, string>> = {}) => {
    const made = Object.fromEntries(newTopic.settings.map(({ name, value }) => [name, value]));
    const all = {
      ...made,
      'max.message.bytes': '1048588',
      'compression.type': 'producer',
      ...changed,
    };
    const configs = Object.entries(all).map(([name, value]) => ({
      name,
      value,
      readOnly: false,
      configSource: 1,
      isSensitive: false,
      synonyms: [],
      configType: 0,
      documentation: null,
    }));
    const result = { errorCode: 0, errorMessage: null, resourceType: 2, resourceName: '', configs };
    return async () => ({ throttleTimeMs: 0, results: [result] });
  };
  const prepare = (topic: string, using: Partial<Protocol>) =>
    prepareTopic(
      { ...protocol, describeConfigs: settings(), ...using },
      parseKafkaUrl(`kafka://${brokers.addresses}/${topic}`),
    );

  beforeAll(async () => {
    protocol = await oldProtocol();
    brokers = await MockBrokers.start();
    await brokers.topic('log');
  });

  afterAll(() => brokers.stop());

  it('is accepted if it is fit', async () => {
    await prepare('log', {});
  });

  it('is refused with a sentence for each reason', async () => {
    const describeConfigs = settings({ 'min.insync.replicas': '1', 'retention.ms': '1000' });
    await expect(prepare('log', { describeConfigs })).rejects.toMatchObject({
      name: 'KafkaTopicUnfit',
      message:
        'the topic log cannot hold a shared log. ' +
        'min.insync.replicas is 1 and must be at least 2: one broker alone must not acknowledge. ' +
        'retention.ms is 1000 and must be -1: ' +
        'only Stepwell knows which entries are no longer needed.',
    });
  });

  it.each([
    ['Describe', { metadata: () => Promise.reject(refusal(3, notPermitted)) }],
    ['DescribeConfigs', { describeConfigs: () => Promise.reject(refusal(32, notPermitted)) }],
  ])('is refused if the user may not %s it', async (right, using) => {
    await expect(prepare('log', using)).rejects.toThrow(
      `the topic log cannot hold a shared log. The user may not ${right} it.`,
    );
  });

  /** Brokers that do not know a topic until it is created. */
  const without = (answer: () => Promise<unknown>) => {
    let isMade = false;
    const asked: unknown[] = [];
    const metadata: Protocol['metadata'] = async (connection, topics, ...words) => {
      if (!isMade && topics?.length === 1) throw refusal(3, unknownTopic);
      // Mock brokers name no controller.
      return { ...(await protocol.metadata(connection, topics, ...words)), controllerId: 2 };
    };
    const createTopics: Protocol['createTopics'] = async (_connection, topics) => {
      asked.push(...topics);
      await answer().finally(() => {
        isMade = true;
      });
      return { throttleTimeMs: 0, topics: [] };
    };
    return { asked, using: { metadata, createTopics } };
  };

  it('is created if it does not exist', async () => {
    const { asked, using } = without(async () => undefined);
    await prepare('log', using);
    expect(asked).toEqual([
      {
        name: 'log',
        numPartitions: 1,
        replicationFactor: 3,
        assignments: [],
        configs: [
          { name: 'min.insync.replicas', value: '2' },
          { name: 'unclean.leader.election.enable', value: 'false' },
          { name: 'cleanup.policy', value: 'delete' },
          { name: 'retention.ms', value: '-1' },
          { name: 'retention.bytes', value: '-1' },
          { name: 'message.timestamp.type', value: 'LogAppendTime' },
        ],
      },
    ]);
  });

  it('is accepted if another node creates it at the same moment', async () => {
    await prepare('log', without(() => Promise.reject(refusal(19, topicExists))).using);
  });

  it('is not created if the brokers refuse, and the error quotes their reason', async () => {
    const said = 'Unable to replicate the partition 3 time(s)';
    const { using } = without(() => Promise.reject(refusal(19, badReplication, said)));
    await expect(prepare('log', using)).rejects.toThrow(
      /the brokers refuse to make it: .*Unable to replicate the partition 3 time/,
    );
  });
});
