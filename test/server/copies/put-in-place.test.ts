import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { copyFolder } from '../../../src/server/backup/folder-backup.js';
import { putInPlace } from '../../../src/server/copies/put-in-place.js';
import { readingOptions } from '../../../src/server/lifecycle/reading-options.js';
import { backupFolder } from '../../../storage/backup/backup-folder.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { RecordsMissing } from '../../../storage/faults/storage-errors.js';
import type { Store } from '../../../storage/store.js';
import { openStore } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { startServer } from '../../support/server.js';

const options = (seed: number) => {
  const random = new SeededRandom(seed);
  return {
    now: () => 0,
    randomBytes: (length: number) => random.bytes(length),
    after: () => () => undefined,
    fsync: 'strict' as const,
    segmentBytes: 900,
    reserveBytes: 0,
    onFailure: (error: unknown) => {
      throw error;
    },
  };
};

const reading = { ...options(7), readOnly: true };

async function write(store: Store, log: string, count: number): Promise<void> {
  const own = store.log(log) ?? (await store.createLog(log));
  for (let at = 0; at < count; at += 1) {
    await own.append([{ key: null, value: Buffer.from(`${log} ${at}`.padEnd(200)) }]).durable;
  }
}

/** The records of each log. */
async function contentOf(store: Store): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const log of store.logs()) {
    const values: string[] = [];
    for (let at = log.startOffset; at < log.highWatermark; ) {
      for (const batch of await log.read(at)) {
        for (const { value } of batch.records()) values.push(`${value}`.trim());
        at = batch.nextOffset;
      }
    }
    content[log.name] = values;
  }
  return content;
}

/** A disk with a data folder that nothing uses, and a fetched one. */
async function prepared(): Promise<{ disk: SimulatedDisk; content: Record<string, string[]> }> {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const old = await openStore(disk, '/data', options(1));
  await write(old, 'both', 20);
  await write(old, 'old', 5);
  await old.snapshots.write({ offset: 3, label: 'x' }, [{ name: 'a', data: Buffer.from('a') }]);
  await old.close();
  const other = await openStore(disk, '/other', options(2));
  await write(other, 'both', 30);
  await write(other, 'new', 5);
  await other.close();
  const content = await contentOf(other);
  await backupFolder(disk, '/other', '/data/fetched', { ...options(4), readOnly: true });
  return { disk, content };
}

it('a fetched folder replaces the old one, wherever a crash happens', async () => {
  const { disk, content } = await prepared();
  const crashed: SimulatedDisk[] = [];
  const running = disk.copy();
  let changes = 0;
  running.afterChange = () => {
    const policy = crashPolicies[changes % crashPolicies.length] ?? 'nothing';
    changes += 1;
    crashed.push(running.restart(), running.crash(policy, changes));
  };
  expect(await putInPlace(running, '/data', reading)).toBe(true);
  running.afterChange = null;
  expect(await putInPlace(running, '/data', reading)).toBe(false);
  for (const after of [running, ...crashed]) {
    await putInPlace(after, '/data', reading);
    expect(await after.list('/data')).not.toContain('fetched');
    const store = await openStore(after, '/data', options(5));
    expect(await contentOf(store)).toEqual(content);
    expect(await store.snapshots.offsets()).toEqual([]);
    await store.close();
  }
  expect(crashed.length).toBeGreaterThan(40);
});

/** A folder with a journal of events from `start` to `end`; from `other` on, the events differ. */
async function journalOf(disk: SimulatedDisk, path: string, [start, end, other]: number[]) {
  const store = await openStore(disk, path, options(1));
  const journal = await store.createLog('__journal');
  for (let at = 0; at < (end ?? 0); at += 1) {
    const key = Buffer.from(at < (other ?? 0) ? `message/${at}` : `run/${at}`);
    await journal.append([{ key, value: Buffer.alloc(200) }]).durable;
  }
  await journal.trimTo(start ?? 0);
  const content = await contentOf(store);
  await store.close();
  return content;
}

it.each([
  ['has the same events, and more', [0, 20, 20], [0, 30, 30], null],
  ['ends earlier, with the same events', [0, 30, 30], [0, 20, 20], null],
  ['begins behind its end', [0, 10, 0], [16, 30, 30], null],
  ['has another event', [0, 20, 10], [0, 30, 30], 'its journal has another event at 10'],
  ['lacks events and has others', [0, 20, 20], [0, 30, 19], 'has another event at 19'],
  ['ends before it begins', [24, 30, 30], [0, 10, 10], 'begins at 24, where that one ends'],
])('a folder is only replaced by one of its cluster: it %s', async (_, own, copy, refused) => {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const before = await journalOf(disk, '/data', own);
  const after = await journalOf(disk, '/other', copy);
  await backupFolder(disk, '/other', '/data/fetched', reading);
  const putting = putInPlace(disk, '/data', reading);
  if (refused === null) expect(await putting).toBe(true);
  else {
    await expect(putting).rejects.toBeInstanceOf(RecordsMissing);
    await expect(putInPlace(disk, '/data', reading)).rejects.toThrow(refused);
  }
  const store = await openStore(disk, '/data', options(5));
  expect(await contentOf(store)).toEqual(refused === null ? after : before);
  await store.close();
});

it('a folder stays as it is if none was fetched', async () => {
  const { disk } = await prepared();
  await disk.rename('/data/fetched', '/data/given');
  const before = await openStore(disk, '/data', options(5));
  const content = await contentOf(before);
  await before.close();
  // A copy that was made for another node is removed when the process that made it has ended.
  expect(await putInPlace(disk, '/data', reading)).toBe(false);
  expect(await disk.list('/data')).not.toContain('given');
  const after = await openStore(disk, '/data', options(6));
  expect(await contentOf(after)).toEqual(content);
  await after.close();
});

it('a fetched folder waits while the server is read-only', async () => {
  const server = await startServer();
  const { dataDirectory } = server;
  try {
    await server.stop();
    const reading = readingOptions(systemClock, systemIdentifiers, () => false);
    const tools = { disk: nodeDisk, options: reading, onProgress: () => undefined };
    await copyFolder(tools, dataDirectory, join(dataDirectory, 'fetched'));
    const before = await readdir(dataDirectory, { recursive: true });
    const environment = { STEPWELL_READ_ONLY: 'always' };
    await (await startServer({ dataDirectory, environment })).stop();
    expect(await readdir(dataDirectory, { recursive: true })).toEqual(before);
    await (await startServer({ dataDirectory })).stop();
    expect(await readdir(dataDirectory)).not.toContain('fetched');
  } finally {
    await server.remove();
  }
}, 30_000);
