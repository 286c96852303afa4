import { Engine } from '../../src/engine/engine.js';
import { provided } from '../../src/engine/provided.js';
import { digestOf, itemsOf } from '../../src/engine/snapshots/state-digest.js';
import type { Cluster } from '../../src/server/cluster/cluster.js';
import { NotTheOwner } from '../../storage/faults/storage-errors.js';
import { publishDelayed } from '../support/clients/delayed-messages.js';
import { serves, TestCluster, type TestNode, until } from '../support/cluster/test-cluster.js';
import { startServer } from '../support/server.js';

const digest = ({ application }: TestNode) =>
  digestOf(itemsOf(application.nest.get(Engine, { strict: false })));
const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;

let cluster: TestCluster;
let owner: TestNode;

beforeEach(async () => {
  const alone = await startServer();
  await publishDelayed(alone, 3);
  await alone.stop();
  cluster = new TestCluster();
  owner = await cluster.start({ dataDirectory: alone.dataDirectory });
  await serves(owner);
});

afterEach(() => cluster.remove());

it('the first node reports before it serves that it already had a folder', () => {
  expect(statusOf(owner).sequence).toBeGreaterThan(0);
});

it.each([0, 1])(
  'a node that starts with an empty folder gets its content, too, after %i more messages',
  async (more) => {
    if (more > 0) await publishDelayed(owner, more);
    const empty = await cluster.start();
    await until(() => empty.failures.length > 0);
    expect(empty.failures[0]).toBeInstanceOf(NotTheOwner);
    await empty.stop();
    const node = await cluster.start({ dataDirectory: empty.dataDirectory });
    await publishDelayed(owner, 1);
    await until(() => statusOf(node).appliedSequence === statusOf(owner).sequence);
    expect(digest(node)).toEqual(digest(owner));
    await owner.stop();
    await serves(node);
    expect(node.failures).toEqual([]);
  },
);
