import { decodeEntry } from '../../../src/cluster/entry.js';
import { provided } from '../../../src/engine/provided.js';
import type { Cluster } from '../../../src/server/cluster/cluster.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { produceTo } from '../../support/clients/log-client.js';
import { serves, TestCluster, type TestNode, until } from '../../support/cluster/test-cluster.js';
import { GatedDisk } from '../../support/program/gated-disk.js';

const cluster = new TestCluster();

afterAll(() => cluster.remove());

const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;

/** What nodes have written to say who owns the log. */
async function turns(): Promise<readonly string[]> {
  const { entries } = await cluster.log.open().read(0);
  const kinds = entries.map(({ bytes }) => decodeEntry(bytes)?.kind ?? '');
  return kinds.filter((kind) => kind === 'claim' || kind === 'release');
}

it('a node that is stopped while it takes the log leaves it to the others at once', async () => {
  const first = await cluster.start();
  await serves(first);
  const gated = new GatedDisk(nodeDisk);
  const second = await cluster.start({ ports: { disk: gated.disk } });
  const isInStep = () => statusOf(second).appliedSequence === statusOf(first).sequence;
  await produceTo(first, 't', 0, 'one');
  await until(isInStep);
  gated.hold();
  await produceTo(first, 't', 0, 'two');
  await until(() => statusOf(second).sequence === statusOf(first).sequence);
  await first.stop();
  await until(() => statusOf(second).role === 'taking');
  const stopped = second.stop();
  await until(async () => (await turns()).length > 3);
  expect(await turns()).toEqual(['claim', 'release', 'claim', 'release']);
  gated.release();
  await stopped;
  const third = await cluster.start({ dataDirectory: second.dataDirectory });
  await serves(third);
  expect(third.failures).toEqual([]);
}, 30_000);
