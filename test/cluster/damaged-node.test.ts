/** The disk of the owner has damaged a message that is due. */
import { rename } from 'node:fs/promises';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { leave } from '../support/leftovers.js';
import { flipByteOf } from '../support/program/flipped-byte.js';
import { describeWithPostgres } from '../support/program/postgres.js';
import { type ClusterServer, PostgresPair, ServerCluster } from './server-cluster.js';

const limitMs = 120_000;

describeWithPostgres('a message that is due and damaged at the owner of a shared log', () => {
  let endpoint: RecordingEndpoint;
  let cluster: ServerCluster;
  beforeAll(async () => {
    endpoint = await RecordingEndpoint.start(() => ({ status: 200 }));
    cluster = await ServerCluster.create(2, await PostgresPair.create());
  }, limitMs);
  afterAll(async () => {
    await cluster.end();
    await endpoint.stop();
  });

  const arrived = () => endpoint.requests.map(({ body }) => String(body)).sort();

  async function publish(node: ClusterServer, body: string): Promise<void> {
    // A message that is due sooner would be in memory.
    const headers = { 'svc-delay': '12s' };
    const path = `/v2/publish/${endpoint.url}/sink`;
    const answer = await node.ask('POST', path, { body, headers });
    expect(answer?.status).toBe(200);
  }

  it(
    'is delivered by the other node, and the damaged node returns with an empty folder',
    async () => {
      const owner = await cluster.owner();
      await publish(owner, 'what rots');
      await publish(owner, 'what lies behind it');
      await flipByteOf('what rots', owner.folder);
      const ended = owner.process;
      expect(await ended?.gone()).toBe(65);
      expect(ended?.output).toContain('damaged data');
      await cluster.owner(owner);
      while (arrived().length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(arrived()).toEqual(['what lies behind it', 'what rots']);

      const aside = `${owner.folder}-aside`;
      leave(aside);
      await rename(owner.folder, aside);
      await owner.revive();
      const answer = await owner.ask('GET', '/v2/logs?state=DELIVERED', { withinMs: 10_000 });
      expect(answer?.status).toBe(200);
      expect(answer?.text.match(/"state":"DELIVERED"/g)).toHaveLength(2);
    },
    limitMs,
  );
});
