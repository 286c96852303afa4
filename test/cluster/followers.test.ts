import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Engine } from '../../src/engine/engine.js';
import { provided } from '../../src/engine/provided.js';
import { digestOf, itemsOf } from '../../src/engine/snapshots/state-digest.js';
import { Cluster } from '../../src/server/cluster/cluster.js';
import { MemoryStart } from '../../src/server/snapshots/memory-start.js';
import { serves, TestCluster, type TestNode, until } from '../support/cluster/test-cluster.js';

const often = { STEPWELL_SNAPSHOT_EVERY: '32kb' };

const digest = ({ application }: TestNode) =>
  digestOf(itemsOf(application.nest.get(Engine, { strict: false })));
const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;
const snapshotsOf = ({ dataDirectory }: TestNode) =>
  readdir(join(dataDirectory, 'snapshots')).catch(() => []);

async function publish(node: TestNode, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const response = await fetch(`${node.url}/v2/publish/https://example.com/`, {
      method: 'POST',
      headers: { authorization: node.bearer, 'upstash-delay': '1h' },
      body: 'x'.repeat(1024),
    });
    expect(response.status).toBe(200);
  }
}

/** Both have come equally far. */
function inStep(owner: TestNode, follower: TestNode): Promise<void> {
  return until(() => statusOf(follower).appliedSequence === statusOf(owner).sequence);
}

describe('a follower', () => {
  let cluster: TestCluster;
  let owner: TestNode;
  let follower: TestNode;

  beforeEach(async () => {
    cluster = new TestCluster();
    owner = await cluster.start();
    await serves(owner);
    follower = await cluster.start({ environment: often });
  });

  afterEach(() => cluster.remove());

  it('makes snapshots of what it follows, and starts from them', async () => {
    await publish(owner, 60);
    await until(async () => (await snapshotsOf(follower)).length > 0);
    await publish(owner, 10);
    await inStep(owner, follower);
    expect(digest(follower)).toEqual(digest(owner));
    await follower.stop();

    const { dataDirectory } = follower;
    const again = await cluster.start({ dataDirectory, environment: often });
    const start = again.application.nest.get(MemoryStart, { strict: false });
    expect(start.found).not.toBeNull();
    await publish(owner, 1);
    await inStep(owner, again);
    expect(digest(again)).toEqual(digest(owner));
  });
});
