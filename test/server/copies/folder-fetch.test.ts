import { createHash } from 'node:crypto';
import { mkdtemp, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { systemClock } from '../../../src/engine/clock.js';
import { Engine } from '../../../src/engine/engine.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { provided } from '../../../src/engine/provided.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import type { Cluster } from '../../../src/server/cluster/cluster.js';
import { signatureOf, signatureTrailer } from '../../../src/server/copies/copy-format.js';
import { takeCopy } from '../../../src/server/copies/taken-copy.js';
import { readingOptions } from '../../../src/server/lifecycle/reading-options.js';
import { MemoryStart } from '../../../src/server/snapshots/memory-start.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { NotTheOwner } from '../../../storage/faults/storage-errors.js';
import { serves, TestCluster, type TestNode, until } from '../../support/cluster/test-cluster.js';
import { leave } from '../../support/leftovers.js';

const often = { STEPWELL_SNAPSHOT_EVERY: '32kb' };
const partOf = <Part>({ application }: TestNode, token: never) =>
  application.nest.get<Part>(token, { strict: false });
const digest = (node: TestNode) => digestOf(itemsOf(partOf(node, Engine as never)));
const statusOf = (node: TestNode) => partOf<Cluster>(node, provided.cluster as never).status;

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

describe('a node that lacks entries from before the start of the shared log', () => {
  const cluster = new TestCluster();
  let owner: TestNode;

  beforeAll(async () => {
    const first = await cluster.start({ environment: often });
    await serves(first);
    await publish(first, 60);
    await until(async () => {
      return (await readdir(join(first.dataDirectory, 'snapshots')).catch(() => [])).length > 0;
    });
    // A node notes in its folder how far it is every few seconds, and at a stop.
    await first.stop();
    const { dataDirectory } = first;
    owner = await cluster.start({ dataDirectory, environment: often });
    await serves(owner);
  });

  afterAll(() => cluster.remove());

  it('fetches the folder of another node and continues from it', async () => {
    cluster.log.start = 2;
    const empty = await cluster.start();
    await until(() => empty.failures.length > 0);
    expect(empty.failures[0]).toBeInstanceOf(NotTheOwner);
    await empty.stop();
    // Messages that are published meanwhile are still in the log.
    await publish(owner, 5);

    const { dataDirectory } = empty;
    const names = await readdir(dataDirectory);
    expect(names).toContain('fetched');
    expect(names).not.toContain('fetching');
    const node = await cluster.start({ dataDirectory });
    expect(await readdir(dataDirectory)).not.toContain('fetched');
    expect(await readdir(owner.dataDirectory)).not.toContain('given');
    expect(partOf<MemoryStart>(node, MemoryStart as never).found).not.toBeNull();
    await publish(owner, 1);
    await until(() => statusOf(node).appliedSequence === statusOf(owner).sequence);
    expect(digest(node)).toEqual(digest(owner));
    expect(node.failures).toEqual([]);
  }, 60_000);
});

describe('the copy that another node gives', () => {
  const secret = 'secret of nodes';
  const manifest = { path: 'MANIFEST', bytes: 0, isHeld: false };
  const head = (files: object) => Buffer.from(`${JSON.stringify({ files })}\n`);
  let peer: Server;
  let bytes = Buffer.alloc(0);
  let signature = '';

  beforeAll(async () => {
    peer = createServer((_, response) => {
      response.writeHead(200, { trailer: signatureTrailer });
      response.write(bytes);
      response.addTrailers({ [signatureTrailer]: signature });
      response.end();
    });
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => peer.close());

  it.each([
    ['no head', Buffer.from('hello\n'), 'head'],
    ['a file elsewhere', head([{ path: '../MANIFEST', bytes: 0, isHeld: false }]), 'head'],
    [
      'a file of another kind',
      head([{ path: 'credentials.json', bytes: 0, isHeld: false }]),
      'head',
    ],
    ['more than there is room for', head([{ ...manifest, bytes: 2 ** 52 }]), 'are free'],
    ['less than it says', head([{ ...manifest, bytes: 1 }]), 'was cut'],
    ['a part, of which the rest is not here', head([{ ...manifest, isHeld: true }]), 'not here'],
    ['more than it says', Buffer.concat([head([]), Buffer.from('x')]), 'goes on'],
    ['what it has not signed', head([]), 'not signed'],
    ['what it has signed for another request', head([]), 'not signed', 'another'],
    ['no backup', head([]), 'no backup', 'seed'],
  ])('is not used if it is wrong: %s', async (_, given, reason, seed = '') => {
    bytes = given;
    signature = signatureOf(secret, seed, createHash('sha256').update(given).digest('hex'));
    if (seed === '') signature = 'none';
    const dataDirectory = await mkdtemp(join(tmpdir(), 'stepwell-copy-'));
    leave(dataDirectory);
    const options = readingOptions(systemClock, systemIdentifiers, () => false);
    const { port } = peer.address() as AddressInfo;
    const answer = await request(`http://127.0.0.1:${port}/`);
    const ports = { disk: nodeDisk, dataDirectory, options, secret };
    await expect(takeCopy(ports, answer, 'seed')).rejects.toThrow(reason);
    expect(await readdir(dataDirectory)).not.toContain('fetched');
  });
});
