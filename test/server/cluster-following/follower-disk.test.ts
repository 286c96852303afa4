import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Engine } from '../../../src/engine/engine.js';
import { Journal } from '../../../src/engine/journal.js';
import { provided } from '../../../src/engine/provided.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import type { Cluster } from '../../../src/server/cluster/cluster.js';
import { FollowerCompactions } from '../../../src/server/cluster-following/follower-compactions.js';
import { topicLogName } from '../../../src/topics/topics/topic-log-name.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Store } from '../../../storage/store.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import {
  publishDelivered,
  repeatMoreSlowly,
  sweptRecords,
} from '../../support/clients/swept-messages.js';
import { serves, TestCluster, type TestNode, until } from '../../support/cluster/test-cluster.js';
import { leave } from '../../support/leftovers.js';

const segmentBytes = 64 * 1024;
const ports = { fileSizes: { segmentBytes, reserveBytes: 0 } };
const perBatch = 100;

let cluster: TestCluster;
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  cluster = new TestCluster();
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await cluster.remove();
  await endpoint.stop();
});

const partOf = <Part>({ application }: TestNode, token: unknown): Part =>
  application.nest.get<Part>(token as never, { strict: false });
const digest = (node: TestNode) => digestOf(itemsOf(partOf(node, Engine)));
const statusOf = (node: TestNode) => partOf<Cluster>(node, provided.cluster).status;
const journalOf = (node: TestNode) => partOf<Journal>(node, Journal);
const bytesOf = ({ segments }: Pick<PartitionLog, 'segments'>) =>
  segments.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** First commits what the owner holds in memory, as outcomes wait there for the next turn. */
async function inStep(owner: TestNode, follower: TestNode): Promise<void> {
  await partOf<Engine>(owner, Engine).durable();
  await until(() => statusOf(follower).appliedSequence === statusOf(owner).sequence);
}

/** Settles once only the message that waits for an hour is left, so that memory stands still. */
async function delivered(node: TestNode): Promise<void> {
  await until(() => partOf<Engine>(node, Engine).actors('message').size === 1);
}

/**
 * Publishes until this many records are swept: without more events, what lies behind the last sweep
 * may never be worth the next one.
 */
async function sweeps(node: TestNode, records: number): Promise<void> {
  await repeatMoreSlowly(
    () => publishDelivered(node, endpoint, perBatch),
    async () => (await sweptRecords(node)) >= records,
  );
  await delivered(node);
}

/** The end of the copies, which must cover the journal from its beginning; names hold offsets. */
function endOf(copies: readonly string[]): number {
  let end = 0;
  for (const name of copies.toSorted()) {
    const [from, until] = name.match(/\d{16}/g)?.map(Number) ?? [];
    expect(from).toBeLessThanOrEqual(end);
    end = Math.max(end, until ?? Number.NaN);
  }
  return end;
}

describe('the folder of a follower', () => {
  const environment = {
    STEPWELL_SNAPSHOT_EVERY: '256kb',
    STEPWELL_LOG_RETENTION: '1s',
    STEPWELL_GLOBAL_PARALLELISM: '200',
  };

  it("holds what the owner's folder holds, and continues from there after a takeover", async () => {
    const archive = await mkdtemp(join(tmpdir(), 'stepwell-archive-'));
    leave(archive);
    const owner = await cluster.start({ environment, ports });
    await serves(owner);
    const follower = await cluster.start({
      environment: { ...environment, STEPWELL_ARCHIVE_DIR: archive },
      ports,
    });
    const waiting = `/v2/publish/${endpoint.url}/later`;
    await callApi(owner, 'POST', waiting, { 'svc-delay': '1h' }, 'patient');
    await sweeps(owner, 1000);
    // Segments end elsewhere, and a skipped sweep is made up for by the next one.
    const slack = 3 * segmentBytes;
    await repeatMoreSlowly(
      () => publishDelivered(owner, endpoint, perBatch),
      async () => {
        if ((await sweptRecords(follower)) < 1000) return false;
        return bytesOf(journalOf(follower)) < bytesOf(journalOf(owner)) + slack;
      },
    );
    await delivered(owner);
    await inStep(owner, follower);
    expect(digest(follower)).toEqual(digest(owner));
    const [archived = ''] = await readdir(archive);
    const copies = () => readdir(join(archive, archived));
    // A sweep may be copying a file now.
    await until(async () => (await copies()).every((name) => !name.endsWith('.partial')));
    expect(endOf(await copies())).toBeGreaterThan(1000);

    const before = await sweptRecords(follower);
    await owner.stop();
    await serves(follower);
    await sweeps(follower, before + 300);
    const { dataDirectory } = follower;
    await follower.stop();
    expect((await verifyFolder(dataDirectory)).problems).toEqual([]);
    // The rest replays to the same memory; meanwhile nothing is swept.
    await rm(join(dataDirectory, 'snapshots'), { recursive: true, force: true });
    const again = await cluster.start({ ports, dataDirectory });
    await serves(again);
    expect(digest(again)).toEqual(digest(follower));
    expect([...owner.failures, ...follower.failures, ...again.failures]).toEqual([]);
  }, 180_000);

  it('removes what topics have removed, and records that later ones supersede', async () => {
    const owner = await cluster.start({ ports });
    await serves(owner);
    const asked = async (method: string, path: string, body?: unknown) => {
      const { status } = await callApi(
        owner,
        method,
        path,
        { authorization: owner.basic },
        JSON.stringify(body),
      );
      expect(status).toBeLessThan(300);
    };
    // An earlier process has left parts of a folder that it fetched.
    const dataDirectory = await mkdtemp(join(tmpdir(), 'stepwell-'));
    await mkdir(join(dataDirectory, 'fetching'));
    await writeFile(join(dataDirectory, 'fetching.from'), owner.url);
    const follower = await cluster.start({ ports, dataDirectory });
    const settings = { partitions: 1, retentionMs: -1, retentionBytes: -1 };
    for (const cleanupPolicy of ['compact', 'delete']) {
      await asked('POST', '/admin/topics', { name: cleanupPolicy, cleanupPolicy, ...settings });
      const records = Array.from({ length: 50 }, (_, index) => {
        return { key: `key${index % 5}`, value: 'x'.repeat(1000) };
      });
      for (let batch = 0; batch < 6; batch += 1) {
        await asked('POST', `/produce/${cleanupPolicy}`, records);
        // Records that arrive together are written into one segment.
        await inStep(owner, follower);
      }
    }
    const logOf = (node: TestNode, topic: string) => {
      const log = partOf<Store>(node, Store).log(topicLogName(topic, 0));
      if (log === undefined) throw new Error(`${topic} has no log`);
      return log;
    };
    await inStep(owner, follower);
    await partOf<FollowerCompactions>(follower, FollowerCompactions).look();
    const whole = bytesOf(logOf(owner, 'compact'));
    await until(() => bytesOf(logOf(follower, 'compact')) < whole / 2);
    const names = await readdir(dataDirectory);
    expect(names.filter((name) => name.startsWith('fetching'))).toEqual([]);
    // Keys do not matter for a topic that is not compacted.
    expect(bytesOf(logOf(follower, 'delete'))).toBeGreaterThan(whole / 2);

    const { endOffset } = logOf(owner, 'delete');
    await asked('POST', '/admin/topics/delete/purge', { partition: 0, before: endOffset });
    await until(() => bytesOf(logOf(follower, 'delete')) === 0);
    expect(logOf(follower, 'delete').startOffset).toBe(endOffset);
    expect([...owner.failures, ...follower.failures]).toEqual([]);
  }, 60_000);
});
