import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithMockBrokers, MockBrokers } from '../mock-brokers/mock-brokers.js';
import { oldClientEnvironment } from '../mock-brokers/old-client-bundle.js';
import { ClusterServer, ServerCluster } from '../server-cluster.js';

/** More for longer runs: npm run jest -- test/cluster/kafka/servers with CLUSTER_ROUNDS=20. */
const rounds = Number(process.env['CLUSTER_ROUNDS'] ?? 1);
const messagesPerRound = 20;
const topic = 'stepwell';

describeWithMockBrokers('servers over a log on the protocol of Kafka', () => {
  let brokers: MockBrokers;
  let environment: Record<string, string>;
  let sink: Server;
  const delivered = new Set<string>();

  beforeAll(async () => {
    [brokers, environment] = await Promise.all([MockBrokers.start(), oldClientEnvironment()]);
    await brokers.topic(topic);
    sink = createServer((request, response) => {
      delivered.add(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  }, 60_000);

  afterAll(() => {
    sink.close();
    brokers.stop();
  });

  const logOf = (url: string, more: Record<string, string> = {}) => ({
    url,
    environment: { ...environment, ...more },
    end: async () => undefined,
  });
  const url = () => `kafka://${brokers.addresses}/${topic}`;

  /** Publishes until so many are acknowledged: their paths at the sink, and the ids for later. */
  async function publish(cluster: ServerCluster, name: string) {
    const { port } = sink.address() as AddressInfo;
    const paths: string[] = [];
    const later: string[] = [];
    for (let count = 0; paths.length + later.length < messagesPerRound; count += 1) {
      const node = cluster.nodes[count % cluster.nodes.length];
      const path = `/${name}/${count}`;
      const isLater = count % 3 === 0;
      const headers: Record<string, string> = isLater ? { 'upstash-delay': '10h' } : {};
      const to = `/v2/publish/http://127.0.0.1:${port}${path}`;
      const answer = await node?.ask('POST', to, { body: 'x', headers, withinMs: 15_000 });
      if (answer?.status !== 200 && answer?.status !== 201) continue;
      if (isLater) later.push(JSON.parse(answer.text).messageId);
      else paths.push(path);
    }
    return { paths, later };
  }

  it(
    'deliver what they take in, and go on with it when their owner is killed',
    async () => {
      const cluster = await ServerCluster.create(2, logOf(url()));
      const paths: string[] = [];
      const later: string[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const acknowledged = await publish(cluster, `round-${round}`);
        paths.push(...acknowledged.paths);
        later.push(...acknowledged.later);
        if (round === rounds) break;
        const owner = await cluster.owner();
        await owner.kill();
        // A client that comes meanwhile is held, and answered by the next owner.
        await Promise.all([cluster.owner(owner), owner.start()]);
      }
      while (paths.some((path) => !delivered.has(path))) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const owner = await cluster.owner();
      for (const id of later) {
        const shown = await owner.ask('GET', `/v2/messages/${id}`, { withinMs: 10_000 });
        expect([id, shown?.status]).toEqual([id, 200]);
      }
      await cluster.end();
    },
    60_000 + rounds * 30_000,
  );

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
