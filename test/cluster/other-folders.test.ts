/** Folders that do not match the settings of their node. */
import { AcknowledgedEntriesMissing } from '../../src/cluster/cluster-errors.js';
import { provided } from '../../src/engine/provided.js';
import type { Cluster } from '../../src/server/cluster/cluster.js';
import { ConfigurationError } from '../../src/server/configuration/config.js';
import { publishDelayed } from '../support/clients/delayed-messages.js';
import { serves, TestCluster, type TestNode, until } from '../support/cluster/test-cluster.js';
import { startServer } from '../support/server.js';

const clusters: TestCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.remove();
});

const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;

/** A cluster of one node that has owned the log `times` times. */
async function ownedTimes(times: number) {
  const cluster = new TestCluster();
  clusters.push(cluster);
  let node = await cluster.start();
  for (let time = 1; ; time += 1) {
    await serves(node);
    await publishDelayed(node, 1);
    if (time === times) return { cluster, node };
    await node.stop();
    node = await cluster.start({ dataDirectory: node.dataDirectory });
  }
}

it.each([
  ['has had more owners', 4, 1],
  ['has had fewer owners', 1, 3],
])('the folder of another cluster, which %s, disturbs no cluster', async (_, theirs, ours) => {
  const other = await ownedTimes(theirs);
  await other.node.stop();
  const { cluster, node } = await ownedTimes(ours);
  const owner = statusOf(node);
  await until(() => statusOf(node).place > statusOf(other.node).place + 1);
  const stray = await cluster.start({ dataDirectory: other.node.dataDirectory });
  await until(() => stray.failures.length > 0 || statusOf(stray).role !== 'follower');
  expect(stray.failures[0]).toBeInstanceOf(AcknowledgedEntriesMissing);
  expect(String(stray.failures[0])).toContain('or another was read before');
  await stray.stop();
  await publishDelayed(node, 1);
  expect(statusOf(node)).toMatchObject({ role: 'owner', epoch: owner.epoch });
  expect(node.failures).toEqual([]);
});

it('the folder of a node is not served without its shared log, but can be inspected', async () => {
  const { node } = await ownedTimes(1);
  await node.stop();
  const { dataDirectory } = node;
  const alone = startServer({ dataDirectory });
  await expect(alone).rejects.toBeInstanceOf(ConfigurationError);
  await expect(alone).rejects.toThrow('STEPWELL_COMMIT_LOG');
  const environment = { STEPWELL_READ_ONLY: 'always' };
  const shown = await startServer({ dataDirectory, environment });
  await shown.stop();
});

it('a node in read-only mode reports that it follows nothing', async () => {
  const { cluster, node } = await ownedTimes(1);
  await node.stop();
  const { dataDirectory } = node;
  const environment = { STEPWELL_READ_ONLY: 'always' };
  const shown = await cluster.start({ dataDirectory, environment });
  const headers = { authorization: shown.basic };
  const answer = await fetch(`${shown.url}/admin/cluster`, { headers });
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('this node changes nothing'),
  ]);
});
