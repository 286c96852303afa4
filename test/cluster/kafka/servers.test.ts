import { describeWithMockBrokers, MockBrokers } from '../mock-brokers/mock-brokers.js';
import { oldClientEnvironment } from '../mock-brokers/old-client-bundle.js';
import { ClusterServer } from '../server-cluster.js';

const topic = 'stepwell';

describeWithMockBrokers('servers over a log on the protocol of Kafka', () => {
  let brokers: MockBrokers;
  let environment: Record<string, string>;

  beforeAll(async () => {
    [brokers, environment] = await Promise.all([MockBrokers.start(), oldClientEnvironment()]);
    await brokers.topic(topic);
  }, 60_000);

  afterAll(() => {
    brokers.stop();
  });

  const logOf = (url: string, more: Record<string, string> = {}) => ({
    url,
    environment: { ...environment, ...more },
    end: async () => undefined,
  });
  const url = () => `kafka://${brokers.addresses}/${topic}`;

  it.each<[string, number, string, () => string, Record<string, string>]>([
    [
      'a topic that may lose entries',
      64,
      'min.insync.replicas is 1 and must be at least 2',
      url,
      { MOCK_TOPIC_SETTINGS: '{"min.insync.replicas":"1"}' },
    ],
    ['a URL without a topic', 64, 'the path is no name of a topic', () => 'kafka://one:1', {}],
    ['brokers that are away', 69, 'no broker answers', () => 'kafka://127.0.0.1:1/t', {}],
  ])('do not start on %s: exit code %d', async (_what, code, reason, log, more) => {
    const node = await ClusterServer.create(logOf(log(), more));
    const output = await node.start().then(
      () => 'it runs',
      (error: Error) => error.message,
    );
    expect(output).toContain(`ended with ${code}`);
    expect(output).toContain(reason);
  });
});
