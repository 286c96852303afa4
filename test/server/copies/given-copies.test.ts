import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { request } from 'undici';
import { openHop } from '../../../src/cluster/forwarding/hop.js';
import { type Clock, systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { journalLogName } from '../../../src/engine/journal.js';
import type { NodeStanding } from '../../../src/server/cluster/follower-places.js';
import { standingPath } from '../../../src/server/cluster/standing-reports.js';
import { HeldFiles } from '../../../src/server/copies/copied-files.js';
import type { CopyHead } from '../../../src/server/copies/copy-format.js';
import { FolderFetch } from '../../../src/server/copies/folder-fetch.js';
import { GivenCopies } from '../../../src/server/copies/given-copies.js';
import { putInPlace } from '../../../src/server/copies/put-in-place.js';
import { CopyCut, takeCopy } from '../../../src/server/copies/taken-copy.js';
import { readingOptions } from '../../../src/server/lifecycle/reading-options.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore, type Store } from '../../../storage/store.js';
import { logOf } from '../../support/cluster/log-of-nodes.js';
import { leave } from '../../support/leftovers.js';

const secret = 'secret of nodes';
const options = readingOptions(systemClock, systemIdentifiers, () => false);
const snapshot = { offset: 1, label: 'x' };
const segmentBytes = 100 * 1024;

let store: Store;
let node: Server;
/** How the last answer has ended. */
let given: Promise<unknown>;
/** The name of a directory that cannot be listed on the node's disk. */
let unlisted = '';
/** A request with more held files than this is refused, like a body that is too large. */
let heldMax = Number.POSITIVE_INFINITY;
/** How many held files the last request has listed. */
let heldAsked = 0;
/** An answer is cut off after this many bytes. */
let bytesMax = Number.POSITIVE_INFINITY;
/** Called for each request for a copy; false = the node is busy. */
let isFree: () => boolean = () => true;
/** No copy of the node's folder is made before this settles. */
let mayGive: Promise<unknown> = Promise.resolve();

const disk: Disk = {
  ...nodeDisk,
  list: async (path) => {
    if (path.includes('/given')) await mayGive;
    if (unlisted === '' || !path.endsWith(`/${unlisted}`)) return nodeDisk.list(path);
    throw Object.assign(new Error('input/output error'), { code: 'EIO' });
  },
};

/** A clock on which the pause between two rounds of requests passes at once, after `meanwhile`. */
const betweenRounds = (meanwhile: () => void): Clock => ({
  ...systemClock,
  after(ms, again) {
    if (ms !== 5000) return systemClock.after(1, again);
    meanwhile();
    return systemClock.after(1, again);
  },
});

const allComes = () => {
  bytesMax = Number.POSITIVE_INFINITY;
};

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-given-'));
  leave(folder);
  return folder;
}

function cutBehindMax(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: Buffer) => boolean;
  let bytes = 0;
  response.write = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= bytesMax) return write(chunk);
    response.destroy();
    return false;
  };
}

beforeAll(async () => {
  const dataDirectory = await makeFolder();
  store = await openStore(disk, dataDirectory, { ...options, readOnly: false, segmentBytes });
  const log = await store.createLog(journalLogName);
  for (let count = 0; count < 24; count += 1) {
    await log.append([{ key: null, value: randomBytes(30 * 1024) }]).durable;
  }
  await store.snapshots.write(snapshot, [{ name: 'a', data: Buffer.from('a') }]);
  const copies = new GivenCopies({
    disk,
    dataDirectory,
    options,
    snapshots: store.snapshots,
    secret,
  });
  node = createServer(async (asked, response) => {
    const { method = '', url: path = '', headers } = asked;
    const body = await buffer(asked);
    if (path === standingPath) return response.writeHead(204).end();
    heldAsked = JSON.parse(body.toString()).held.length;
    if (heldAsked > heldMax) return response.writeHead(413).end();
    if (!isFree()) return response.writeHead(503).end();
    cutBehindMax(response);
    const opened = openHop(secret, { method, path }, headers, Date.now());
    const seed = opened.kind === 'hop' ? opened.hop.seed : 'seed';
    given = copies.give(seed, body, response).catch((error: unknown) => {
      response.destroy();
      return error;
    });
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  node.close();
  await store.close();
});

/** Requests a copy like a node that has no folder, or only a part of one, in `dataDirectory`. */
async function take(dataDirectory: string, disk = nodeDisk): Promise<CopyHead['files']> {
  const held = await new HeldFiles(nodeDisk, join(dataDirectory, 'fetching')).list();
  const { port } = node.address() as AddressInfo;
  const answer = await request(`http://127.0.0.1:${port}/`, {
    method: 'PUT',
    body: JSON.stringify({ held }),
  });
  expect(answer.statusCode).toBe(200);
  const ports = { disk, dataDirectory, options, secret };
  const taken = takeCopy(ports, answer, 'seed', held).finally(() => answer.body.destroy());
  return (await taken).files;
}

it('a node gives a copy after a failed one, even if it cannot list snapshots', async () => {
  const dataDirectory = await makeFolder();
  unlisted = 'logs';
  await expect(take(dataDirectory)).rejects.toThrow();
  expect(await given).toBeInstanceOf(Error);
  unlisted = 'snapshots';
  const snapshots = (files: CopyHead['files']) =>
    files.map(({ path }) => path).filter((path) => path.startsWith('snapshots/'));
  expect(snapshots(await take(dataDirectory))).toEqual([]);
  await given;
  unlisted = '';
  const other = await makeFolder();
  const files = await take(other);
  expect(snapshots(files)).toHaveLength(1);
  expect(files.some(({ isHeld }) => isHeld)).toBe(false);
  expect(await readdir(join(other, 'fetched', 'logs'))).toHaveLength(1);
  expect(await readdir(join(other, 'fetched', 'snapshots'))).toHaveLength(1);
});

it('a copy continues where it was cut, with the complete files', async () => {
  const dataDirectory = await makeFolder();
  const fetching = join(dataDirectory, 'fetching');
  bytesMax = 400 * 1024;
  const cut = await take(dataDirectory).catch((error: unknown) => error);
  if (!(cut instanceof CopyCut)) throw cut;
  expect(cut.files).toBeGreaterThan(2);
  await given;
  bytesMax = Number.POSITIVE_INFINITY;
  const whole = (await new HeldFiles(nodeDisk, fetching).list()).map(({ path }) => path);
  // A file that has changed since it arrived is sent again.
  const [damaged = '', ...others] = whole;
  await truncate(join(fetching, damaged), 70 * 1024);

  const files = await take(dataDirectory);
  const held = files.filter(({ isHeld }) => isHeld).map(({ path }) => path);
  expect(held.length).toBeGreaterThan(1);
  expect(held).not.toContain(damaged);
  expect(others).toEqual(expect.arrayContaining(held));
  const copy = await openStore(nodeDisk, join(dataDirectory, 'fetched'), options);
  const [log] = copy.logs();
  expect(log?.highWatermark).toBe(24);
  await log?.verify();
  await copy.close();
});

it('a copy takes the room of an earlier one that is of no use, and no more', async () => {
  const others = await makeFolder();
  const bytes = (await take(others)).reduce((sum, file) => sum + file.bytes, 0);
  await given;
  const dataDirectory = await makeFolder();
  const earlier = join(dataDirectory, 'fetching', 'logs', '0000000000');
  await mkdir(earlier, { recursive: true });
  await writeFile(join(earlier, '0000000009.log'), randomBytes(512 * 1024));
  const lacking = (lacks: number): Disk => ({
    ...nodeDisk,
    space: async () => ({ available: 64 * 1024 * 1024 + bytes - lacks, total: 2 ** 40 }),
  });
  await expect(take(dataDirectory, lacking(513 * 1024))).rejects.toThrow('bytes, and');
  await given;
  await take(dataDirectory, lacking(512 * 1024));
  expect(await readdir(dataDirectory)).toEqual(['fetched']);
});

it('ends a copy of which the other node takes nothing any more', async () => {
  const dataDirectory = await makeFolder();
  const large = await openStore(nodeDisk, dataDirectory, { ...options, readOnly: false });
  const log = await large.createLog(journalLogName);
  // More than the system takes for a reader that is not there.
  for (let count = 0; count < 32; count += 1) {
    await log.append([{ key: null, value: randomBytes(1024 * 1024) }]).durable;
  }
  const ports = { disk: nodeDisk, dataDirectory, options, snapshots: large.snapshots, secret };
  const copies = new GivenCopies({ ...ports, stalledMs: 300 });
  let given: Promise<void> | null = null;
  const server = createServer(async (asked, response) => {
    given ??= copies.give('seed', await buffer(asked), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = { method: 'PUT', body: JSON.stringify({ held: [] }) } as const;
  const answer = await request(`http://127.0.0.1:${port}/`, ask);
  expect(answer.statusCode).toBe(200);
  await expect(given).rejects.toThrow('takes nothing of its copy any more');
  expect(await readdir(dataDirectory)).not.toContain('given');
  answer.body.on('error', () => undefined).destroy();
  server.close();
  await large.close();
});

it('asks for all where the list of what is held is refused', async () => {
  const { port } = node.address() as AddressInfo;
  const nodes = ['http://127.0.0.1:1', `http://127.0.0.1:${port}`].map((name, number) => {
    return { node: name, place: 9 - number, silentMs: 0 };
  });
  const dataDirectory = await makeFolder();
  bytesMax = 400 * 1024;
  heldMax = 0;
  const clock = betweenRounds(allComes);
  const fetch = new FolderFetch({ ...fetchPorts(dataDirectory, clock), log: await logOf(nodes) });
  expect(await fetch.fetch()).toBe(true);
  expect(await readdir(dataDirectory)).toEqual(['fetched']);
  heldMax = Number.POSITIVE_INFINITY;
});

/** An owner that does not answer, a node that is busy, and one that gives a copy. */
async function busyAndGiving() {
  let asked = 0;
  const busy = createServer((_, response) => {
    asked += 1;
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const nodes = [
    { node: 'http://127.0.0.1:1', place: 9, silentMs: 0 },
    { node: urlOf(busy), place: 8, silentMs: 0 },
    { node: urlOf(node), place: 7, silentMs: 0 },
  ];
  return { log: await logOf(nodes), asked: () => asked, close: () => busy.close() };
}

it('a node whose copy was cut asks the same node again, and no other', async () => {
  const { log, asked, close } = await busyAndGiving();
  const dataDirectory = await makeFolder();
  bytesMax = 400 * 1024;
  const fetch = new FolderFetch({ ...fetchPorts(dataDirectory, betweenRounds(allComes)), log });
  expect(await fetch.fetch()).toBe(true);
  expect(asked()).toBe(1);
  expect(await readdir(dataDirectory)).toEqual(['fetched']);
  close();
});

it('what has arrived is read once, however often nodes are asked in vain', async () => {
  const { log, close } = await busyAndGiving();
  const dataDirectory = await makeFolder();
  const reads: string[] = [];
  const counting: Disk = {
    ...nodeDisk,
    async open(path, mode) {
      if (mode === 'read' && path.includes('/fetching/logs/')) reads.push(path);
      return nodeDisk.open(path, mode);
    },
  };
  const readBefore: number[] = [];
  isFree = () => {
    readBefore.push(reads.length);
    return ![2, 3, 4].includes(readBefore.length);
  };
  bytesMax = 250 * 1024;
  const clock = betweenRounds(() => {
    // The second copy is cut, too, and sends other files than the first one.
    if (readBefore.length === 5) allComes();
  });
  const ports = { ...fetchPorts(dataDirectory, clock), disk: counting };
  expect(await new FolderFetch({ ...ports, log }).fetch()).toBe(true);
  isFree = () => true;
  const [first, second, third, fourth, fifth, sixth = 0, ...more] = readBefore;
  expect(first).toBe(0);
  expect([second, third, fourth, fifth]).toEqual([second, second, second, second]);
  expect(second).toBeGreaterThan(1);
  expect(more).toEqual([]);
  // A file that was cut off and then sent again has changed.
  const again = reads.slice(second, sixth).filter((path) => reads.indexOf(path) < (second ?? 0));
  expect(again.length).toBeLessThan(2);
  expect(sixth).toBeGreaterThan(second ?? 0);
  expect(await readdir(dataDirectory)).toEqual(['fetched']);
  close();
});

it('a copy continues after a restart, with the files that have arrived', async () => {
  const { log, asked, close } = await busyAndGiving();
  const dataDirectory = await makeFolder();
  bytesMax = 400 * 1024;
  await new Promise<void>((ended) => {
    // The process ends when it would wait for another round.
    const clock: Clock = {
      ...systemClock,
      after(ms, again) {
        if (ms === 5000) ended();
        return systemClock.after(3_600_000, again);
      },
    };
    void new FolderFetch({ ...fetchPorts(dataDirectory, clock), log }).fetch();
  });
  bytesMax = Number.POSITIVE_INFINITY;
  expect(await putInPlace(nodeDisk, dataDirectory, options, true)).toBe(false);
  const again = new FolderFetch({ ...fetchPorts(dataDirectory, systemClock), log });
  expect(await again.fetch()).toBe(true);
  expect(heldAsked).toBeGreaterThan(1);
  expect(asked()).toBe(1);
  expect(await readdir(dataDirectory)).toEqual(['fetched']);
  close();
});

it('the owner keeps the entries that a node will need while a copy is fetched', async () => {
  let heard = 0;
  let isHeardOften: (isSo: boolean) => void = () => undefined;
  mayGive = new Promise((resolve) => {
    isHeardOften = resolve;
  });
  const owner = createServer(async (asked, response) => {
    const standing: NodeStanding = JSON.parse((await buffer(asked)).toString());
    if (standing.fetches === true && standing.place === 0) heard += 1;
    if (heard === 3) isHeardOften(true);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => owner.listen(0, '127.0.0.1', resolve));
  const urls = [owner, node].map((server) => (server.address() as AddressInfo).port);
  const nodes = urls.map((port) => ({ node: `http://127.0.0.1:${port}`, place: 9, silentMs: 0 }));
  const ports = fetchPorts(await makeFolder(), betweenRounds(allComes));
  const fetch = new FolderFetch({ ...ports, log: await logOf(nodes) });
  expect(await fetch.fetch()).toBe(true);
  expect(heard).toBeGreaterThanOrEqual(3);
  owner.close();
});

it('a copy begins again if no log is shared any more', async () => {
  const dataDirectory = await makeFolder();
  bytesMax = 400 * 1024;
  await expect(take(dataDirectory)).rejects.toThrow(CopyCut);
  bytesMax = Number.POSITIVE_INFINITY;
  expect(await readdir(dataDirectory)).toEqual(['fetching']);
  expect(await putInPlace(nodeDisk, dataDirectory, options)).toBe(false);
  expect(await readdir(dataDirectory)).not.toContain('fetching');
});

/** The ports of a node that fetches into `dataDirectory`. */
function fetchPorts(dataDirectory: string, clock: Clock) {
  const caller = { url: 'http://127.0.0.1:2', secret, clock, identifiers: systemIdentifiers };
  const logger = pino({ level: 'silent' });
  return { disk: nodeDisk, dataDirectory, options, secret, clock, caller, logger };
}
