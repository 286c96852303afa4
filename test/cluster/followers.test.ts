import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { callNode } from '../../src/cluster/forwarding/node-call.js';
import { systemClock } from '../../src/engine/clock.js';
import type { EventEnvelope } from '../../src/engine/decider.js';
import { Engine } from '../../src/engine/engine.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { Journal } from '../../src/engine/journal.js';
import { provided } from '../../src/engine/provided.js';
import { DigestRecorder } from '../../src/engine/snapshots/digest-recorder.js';
import { MemoryDigests } from '../../src/engine/snapshots/memory-digests.js';
import { imageLabel } from '../../src/engine/snapshots/memory-image.js';
import { digestOf, itemsOf } from '../../src/engine/snapshots/state-digest.js';
import { Cluster } from '../../src/server/cluster/cluster.js';
import { standingPath } from '../../src/server/cluster/standing-reports.js';
import { MemoryStart } from '../../src/server/snapshots/memory-start.js';
import { publishDelayed } from '../support/clients/delayed-messages.js';
import {
  clusterSecret,
  serves,
  TestCluster,
  type TestNode,
  until,
} from '../support/cluster/test-cluster.js';
import { createQueue, writeLaterQueues } from '../support/deciders/later-queues.js';

const often = { STEPWELL_SNAPSHOT_EVERY: '32kb' };

const digest = ({ application }: TestNode) =>
  digestOf(itemsOf(application.nest.get(Engine, { strict: false })));
const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;
const snapshotsOf = ({ dataDirectory }: TestNode) =>
  readdir(join(dataDirectory, 'snapshots')).catch(() => []);

async function publish(node: TestNode, count: number, bytes = 1024): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const response = await fetch(`${node.url}/v2/publish/https://example.com/`, {
      method: 'POST',
      headers: { authorization: node.bearer, 'upstash-delay': '1h' },
      body: 'x'.repeat(bytes),
    });
    expect(response.status).toBe(200);
  }
}

/** Waits until both have folded equally far. */
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

  it('makes snapshots of what it has folded, and starts from them', async () => {
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

  it('starts again after it has owned and released the log', async () => {
    await publish(owner, 10);
    await owner.stop();
    await serves(follower);
    // Enough for a stop to leave a snapshot.
    await publish(follower, 15, 100 * 1024);
    await follower.stop();
    expect(await snapshotsOf(follower)).not.toEqual([]);

    const { dataDirectory } = follower;
    const again = await cluster.start({ dataDirectory, environment: often });
    await serves(again);
    expect(again.application.nest.get(MemoryStart, { strict: false }).found).not.toBeNull();
    await publish(again, 1);
    expect(again.failures).toEqual([]);
  });

  it('writes what others can read once it owns the log, even after refusals', async () => {
    const wrong = { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=' } };
    const refused = async () => (await fetch(`${follower.url}/admin/cluster`, wrong)).status;
    const { dataDirectory } = owner;
    await publish(owner, 1);
    await inStep(owner, follower);
    expect(await refused()).toBe(401);
    await owner.stop();
    await serves(follower);
    expect(await refused()).toBe(401);
    await publish(follower, 1);

    const again = await cluster.start({ dataDirectory });
    await inStep(follower, again);
    expect(digest(again)).toEqual(digest(follower));
    const journal = again.application.nest.get(Journal, { strict: false });
    const kinds: string[] = [];
    for await (const events of journal.replay()) kinds.push(...events.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind === 'refused-requests')).toHaveLength(1);
    expect([...follower.failures, ...again.failures]).toEqual([]);
  });

  it('answers only nodes, and reports its place only to the owner', async () => {
    const reported = (node: TestNode, secret: string, body: object) =>
      callNode(
        {
          url: 'http://127.0.0.1:1',
          secret,
          clock: systemClock,
          identifiers: systemIdentifiers,
        },
        {
          origin: statusOf(node).node,
          path: standingPath,
          body: Buffer.from(JSON.stringify(body)),
          withinMs: 5000,
        },
      ).then(({ statusCode }) => statusCode);
    const standing = { node: 'http://127.0.0.1:1', place: 3 };
    expect(await reported(owner, clusterSecret, standing)).toBe(204);
    expect(await reported(owner, clusterSecret, { place: 3 })).toBe(400);
    expect(await reported(owner, 'another secret', standing)).toBe(401);
    expect(await reported(follower, clusterSecret, standing)).toBe(421);
  });

  it('notices that its memory differs from what the owner recorded of its own', async () => {
    await cluster.remove();
    cluster = new TestCluster();
    owner = await cluster.start({ environment: often });
    await serves(owner);
    const lines: string[] = [];
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(line.toString());
        done();
      },
    });
    follower = await cluster.start({ ports: { log: pino({ level: 'error' }, stream) } });
    await publish(owner, 40);
    await until(async () => (await metricOf(follower, 'digests_same_total')) > 0);
    expect(lines).toEqual([]);

    await inStep(owner, follower);
    const message = await misfold(follower);
    await publish(owner, 40);
    await until(async () => (await metricOf(follower, 'digests_differed_total')) > 0);
    expect(lines[0]).toContain('than the owner');
    expect(lines[0]).toContain('message');
    // The journal of this folder shows which node it is.
    await until(() => lines.length > 1);
    expect(lines[1]).toContain(message.id);

    // Any node that agrees with a released log may claim it.
    await owner.stop();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(statusOf(follower).role).toBe('follower');
    const other = await cluster.start();
    await serves(other);
    await until(() => statusOf(follower).owner === statusOf(other).node);
    expect(statusOf(follower).role).toBe('follower');
  });
});

it('a follower ends if the owner has a later version, whose events it does not know', async () => {
  const cluster = new TestCluster();
  const owner = await cluster.start();
  await serves(owner);
  const follower = await cluster.start();
  await publish(owner, 3);
  await inStep(owner, follower);
  writeLaterQueues(owner);
  await createQueue(owner, 'later');
  await until(() => follower.failures.length > 0);
  expect(follower.failures).toEqual([
    expect.objectContaining({
      code: 'newer_format',
      message: expect.stringContaining('queue/later'),
    }),
  ]);
  expect(statusOf(follower).role).toBe('follower');
  await cluster.remove();
});

/** Makes a node fold an event that no node has decided; returns the original event. */
async function misfold({ application: { nest } }: TestNode) {
  const journal = nest.get(Journal, { strict: false });
  const published: EventEnvelope[] = [];
  // Reads to the end, because the follower decodes with the shapes that a reader of the journal met
  // last.
  for await (const envelopes of journal.replay()) published.push(...envelopes);
  const message = published.find(({ kind }) => kind === 'message');
  if (message === undefined) throw new Error('nothing was published');
  const event = { ...message.event, at: 1 };
  nest.get(Engine, { strict: false }).replay([{ ...message, sequence: 1, event }]);
  return message;
}

it('a follower notices a difference in a large memory, recorded in parts', async () => {
  const cluster = new TestCluster();
  const owner = await cluster.start();
  await serves(owner);
  const follower = await cluster.start();
  await publishDelayed(owner, 1200);
  const recorder = recorderOf(owner);
  const journal = owner.application.nest.get(Journal, { strict: false });
  const recordFour = async () => {
    for (let parts = 0; parts < 4; parts += 1) await recorder.record(journal.endOffset);
  };
  await recordFour();
  await until(async () => (await metricOf(follower, 'digests_same_total')) === 4);
  await misfold(follower);
  await recordFour();
  await until(async () => (await metricOf(follower, 'digests_same_total')) === 7);
  expect(await metricOf(follower, 'digests_differed_total')).toBe(1);

  // Parts that agree later do not end the doubt: this node still leaves the log to others.
  await owner.stop();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(statusOf(follower).role).toBe('follower');
  await cluster.remove();
});

/** Records what a node remembers, as the node itself does from time to time. */
function recorderOf({ application: { nest } }: TestNode): DigestRecorder {
  const own = { strict: false };
  const engine = nest.get(Engine, own);
  const label = () => imageLabel(engine, nest.get(MemoryStart, own).build);
  return new DigestRecorder({
    engine,
    digests: nest.get(MemoryDigests, own),
    label,
    now: Date.now,
  });
}

async function metricOf(node: TestNode, name: string): Promise<number> {
  const answer = await fetch(`${node.url}/metrics`, { headers: { authorization: node.bearer } });
  const [, value] =
    new RegExp(`^stepwell_cluster_${name} (\\d+)$`, 'm').exec(await answer.text()) ?? [];
  return Number(value);
}
