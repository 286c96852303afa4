/** Nodes of a cluster whose disks have no space for new work. */
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { serves, TestCluster, type TestNode, until } from '../support/cluster/test-cluster.js';

const disk = {
  ...nodeDisk,
  space: async (path: string) => ({ ...(await nodeDisk.space(path)), available: 1024 * 1024 }),
};
// The limit of free space is the default one.
const full = { ports: { disk, fileSizes: { segmentBytes: 4 * 1024 * 1024 } } };

let cluster: TestCluster;

beforeEach(() => {
  cluster = new TestCluster();
});

afterEach(() => cluster.remove());

const ready = async ({ url }: TestNode) => (await fetch(`${url}/health/ready`)).json();
const isStandby = (node: TestNode) => async () =>
  ((await ready(node)) as { state: string }).state === 'standby';

it('a follower reports a full disk, and leaves the log to a node with space', async () => {
  const owner = await cluster.start();
  await serves(owner);
  const without = await cluster.start(full);
  await until(isStandby(without));
  expect(await ready(without)).toEqual({
    state: 'standby',
    reason: null,
    warnings: [
      expect.stringContaining('as the owner it would take no new work: the disk is nearly'),
    ],
  });
  // This node starts later. If disks did not matter, either node might claim the log first.
  const withRoom = await cluster.start();
  await until(isStandby(withRoom));
  await owner.stop();
  await serves(withRoom);
  await until(isStandby(without));
  expect(withRoom.failures).toEqual([]);
});

it('a node with a full disk takes the log if no other node does', async () => {
  const only = await cluster.start(full);
  await until(async () => ((await ready(only)) as { state: string }).state === 'readOnly');
  expect(only.failures).toEqual([]);
}, 30_000);
