import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, truncate } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { journalLogName } from '../../../src/engine/journal.js';
import { heldIn } from '../../../src/server/copies/copied-files.js';
import type { CopyHead } from '../../../src/server/copies/copy-format.js';
import { GivenCopies } from '../../../src/server/copies/given-copies.js';
import { CopyCut, takeCopy } from '../../../src/server/copies/taken-copy.js';
import { readingOptions } from '../../../src/server/lifecycle/reading-options.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore, type Store } from '../../../storage/store.js';
import { leave } from '../../support/leftovers.js';

const secret = 'secret of nodes';
const options = readingOptions(systemClock, systemIdentifiers, () => false);
const snapshot = { offset: 1, label: 'x' };
const segmentBytes = 100 * 1024;

let store: Store;
let node: Server;
/** How the last answer has ended. */
let given: Promise<unknown>;
/** The name of a directory that the node's disk does not list. */
let unlisted = '';
/** After so many bytes an answer breaks off. */
let bytesMax = Number.POSITIVE_INFINITY;

const disk: Disk = {
  ...nodeDisk,
  list: (path) =>
    unlisted === '' || !path.endsWith(`/${unlisted}`)
      ? nodeDisk.list(path)
      : Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' })),
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
    cutBehindMax(response);
    given = copies.give('seed', await buffer(asked), response).catch((error: unknown) => {
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

/** What a node does that has no folder, or a part of one in `dataDirectory`. */
async function take(dataDirectory: string): Promise<CopyHead['files']> {
  const held = await heldIn(nodeDisk, join(dataDirectory, 'fetching'));
  const { port } = node.address() as AddressInfo;
  const answer = await request(`http://127.0.0.1:${port}/`, {
    method: 'PUT',
    body: JSON.stringify({ held }),
  });
  expect(answer.statusCode).toBe(200);
  const ports = { disk: nodeDisk, dataDirectory, options, secret };
  return (await takeCopy(ports, answer, 'seed', held)).files;
}

it('gives a copy after one that failed, without snapshots that cannot be listed', async () => {
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

it('goes on where it was cut, with the files that are whole', async () => {
  const dataDirectory = await makeFolder();
  const fetching = join(dataDirectory, 'fetching');
  bytesMax = 400 * 1024;
  const cut = await take(dataDirectory).catch((error: unknown) => error);
  if (!(cut instanceof CopyCut)) throw cut;
  expect(cut.files).toBeGreaterThan(2);
  await given;
  bytesMax = Number.POSITIVE_INFINITY;
  const whole = (await heldIn(nodeDisk, fetching)).map(({ path }) => path);
  // A file that is not as it came comes again.
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
