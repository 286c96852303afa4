import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/engine/clock.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { provided } from '../../src/engine/provided.js';
import { backUp } from '../../src/server/backup/folder-backup.js';
import { restore } from '../../src/server/backup/restore.js';
import type { Cluster } from '../../src/server/cluster/cluster.js';
import { readingOptions } from '../../src/server/lifecycle/reading-options.js';
import { backupFolder } from '../../storage/backup/backup-folder.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { RecordsMissing } from '../../storage/faults/storage-errors.js';
import { callLog, type LogMessage, produceTo } from '../support/clients/log-client.js';
import { serves, TestCluster, type TestNode, until } from '../support/cluster/test-cluster.js';
import { runProgram } from '../support/program/program.js';

const options = readingOptions(systemClock, systemIdentifiers, () => false);
const tools = { disk: nodeDisk, options, onProgress: () => undefined };

let folder = '';
let cluster: TestCluster;
let owner: TestNode;
let follower: TestNode;

const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;
const isInStep = (node: TestNode) => statusOf(node).appliedSequence === statusOf(owner).sequence;
const produce = (value: string) => produceTo(owner, 't', 0, value);
const valuesOf = async (node: TestNode) => {
  const { body } = await callLog(node, '/fetch', { topic: 't', partition: 0, offset: 0 });
  // A fetch answers a list of records.
  return (body as readonly LogMessage[]).map(({ value }) => value);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-restored-'));
  cluster = new TestCluster();
  owner = await cluster.start();
  await serves(owner);
  follower = await cluster.start();
  await produce('before');
  await until(() => isInStep(follower));
  await follower.stop();
});

afterEach(async () => {
  await cluster.remove();
  await rm(folder, { recursive: true });
});

const at = (name: string) => join(folder, name);

it('a node continues from a backup of its folder, with everything that came since', async () => {
  await backUp(tools, follower.dataDirectory, at('backup'));
  for (const value of ['one', 'two', 'three']) await produce(value);
  await expect(restore(tools, at('backup'), at('gap'), { skip: 1 })).rejects.toThrow(
    'no offsets can be',
  );
  const restored = await restore(tools, at('backup'), at('restored'));
  expect(restored).toMatchObject({ skippedOffsets: 0, isOfNode: true });
  const node = await cluster.start({ dataDirectory: at('restored') });
  await owner.stop();
  await serves(node);
  expect(await valuesOf(node)).toEqual(['before', 'one', 'two', 'three']);
});

it('a node does not skip records if its folder leaves out offsets', async () => {
  for (const value of ['one', 'two', 'three']) await produce(value);
  await backupFolder(nodeDisk, follower.dataDirectory, at('gap'), options, {
    skippedOffsets: (name) => (name.startsWith('topic/') ? 1_000_000 : 0),
  });
  // A second start shows the same.
  for (let starts = 0; starts < 2; starts += 1) {
    const node = await cluster.start({ dataDirectory: at('gap') });
    await until(() => node.failures.length > 0 || isInStep(node));
    expect(node.failures[0]).toBeInstanceOf(RecordsMissing);
    expect(String(node.failures[0])).toContain('log topic/t/0 has offset 1 left out here');
    await node.stop();
  }
});

it('a folder starts another shared log once it has forgotten the previous one', async () => {
  for (const value of ['one', 'two']) await produce(value);
  await owner.stop();
  await backUp(tools, owner.dataDirectory, at('backup'));
  const restored = (name: string, ...given: string[]) =>
    runProgram(owner.dataDirectory, ['restore', at('backup'), at(name), ...given]);
  expect(await restored('gap', '--skip-offsets', '5')).toMatchObject({ code: 64 });
  const asItWas = await restored('as it was');
  expect(asItWas.stdout).toContain('partitions continue at their ends');
  const first = await restored('first', '--new-shared-log', '--skip-offsets', '0');
  expect(first.stdout).toContain('partitions continue 0 offsets after their ends');
  const lost = cluster;
  cluster = new TestCluster();
  const refused = await cluster.start({ dataDirectory: at('as it was') });
  await until(() => refused.failures.length > 0);
  expect(String(refused.failures[0])).toContain('acknowledged entries are missing');
  await refused.stop();

  owner = await cluster.start({ dataDirectory: at('first') });
  await serves(owner);
  await produce('three');
  const empty = await cluster.start();
  await until(() => empty.failures.length > 0);
  await empty.stop();
  const node = await cluster.start({ dataDirectory: empty.dataDirectory });
  await produce('four');
  await owner.stop();
  await serves(node);
  expect(await valuesOf(node)).toEqual(['before', 'one', 'two', 'three', 'four']);
  await lost.remove();
});
