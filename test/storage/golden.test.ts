/**
 * Every format as each version wrote it. STEPWELL_WRITE_GOLDEN=1 writes the files of the current
 * version again; a difference to the existing files is a change of the format and needs a new
 * version beside the old ones, which stay as they are.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Disk } from '../../storage/disk/disk.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import type { RecordInput } from '../../storage/format/record.js';
import { openStore, type Store, type StoreOptions } from '../../storage/store.js';
import { verifyStore } from '../../storage/verify/verify-store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { directory, ManualTimers, settle } from './simulated-store.js';

const golden = 'test/golden/storage';
const currentVersion = 2;
/** Written while there may be a write-ahead log. */
const newestVersion = 3;
const stops = ['clean', 'killed'] as const;
/** With files beside the segments, which are those of version 2. */
const chainVersion = 'v3/chained';

const record = (index: number): RecordInput => ({
  key: index % 4 === 3 ? null : Buffer.from(`key-${index}`),
  value: index % 5 === 4 ? null : Buffer.alloc(100 + index, index),
  headers: [
    { name: 'content-type', value: Buffer.from('text/plain') },
    { name: 'empty', value: null },
  ],
  terms: [`run-${index % 2}`, 'größe'],
  ...(index % 2 === 0 ? {} : { timestamp: index * 1000 }),
});

function open(disk: Disk, path: string, timers = new ManualTimers()): Promise<Store> {
  return openStore(disk, path, optionsOf(timers));
}

function optionsOf(timers = new ManualTimers()): StoreOptions {
  const random = new SeededRandom(42);
  return {
    now: () => timers.time,
    randomBytes: (length) => random.bytes(length),
    after: timers.after,
    fsync: 'strict',
    segmentBytes: 700,
    reserveBytes: 0,
    onFailure: (error) => {
      throw error;
    },
  };
}

/** A log in which compaction has left holes, with a segment before and after them. */
async function writeCompactedFolder(): Promise<Map<string, Buffer>> {
  const disk = new SimulatedDisk();
  const timers = new ManualTimers();
  const store = await open(disk, directory, timers);
  const offsets = await store.createLog('offsets', { preparesNextSegment: true });
  const put = async (...indexes: readonly number[]) => {
    const keyed = (index: number) => ({ ...record(index), key: Buffer.from(`key-${index % 3}`) });
    await offsets.append(indexes.map(keyed)).durable;
    await settle();
  };
  await put(0, 1);
  await put(2, 3);
  await offsets.append([record(3)]).durable;
  await offsets.roll();
  await put(4, 5);
  await offsets.compact({ tombstonesBefore: Number.NEGATIVE_INFINITY });
  await put(6, 7);
  await put(8);
  timers.advance(25);
  await settle();
  return filesOf(disk);
}

/** A log with a chain, in which a sweep has left some records. */
async function writeChainedFolder(): Promise<Map<string, Buffer>> {
  const disk = new SimulatedDisk();
  const timers = new ManualTimers();
  const chain = { covers: () => true };
  const store = await openStore(disk, directory, { ...optionsOf(timers), chain });
  const journal = await store.createLog('journal', { preparesNextSegment: true });
  for (let index = 0; index < 12; index += 2) {
    await journal.append([record(index), record(index + 1)]).durable;
    await settle();
  }
  const keeps = ({ offset }: { readonly offset: number }) => offset % 3 === 0;
  await journal.sweep({ until: 9, keeps, settled: async () => undefined });
  await journal.roll();
  timers.advance(25);
  await settle();
  await store.close();
  return filesOf(disk);
}

/** Writes the folder again if requested, and compares it with what is written today. */
async function expectGolden(folder: string, files: Map<string, Buffer>): Promise<void> {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') {
    await rm(folder, { recursive: true, force: true });
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), bytes);
    }
  }
  expect([...files.keys()].sort()).toEqual(await filesUnder(folder));
  for (const [path, bytes] of files) {
    const expected = await readFile(join(folder, path));
    expect(`${path} ${bytes.toString('hex')}`).toBe(`${path} ${expected.toString('hex')}`);
  }
}

/** The same folder, whenever and wherever it is written. */
async function writeFolder(stop: (typeof stops)[number]): Promise<Map<string, Buffer>> {
  const disk = new SimulatedDisk();
  const timers = new ManualTimers();
  const store = await open(disk, directory, timers);
  const journal = await store.createLog('journal', { preparesNextSegment: true });
  await journal.prepare();
  const gone = await store.createLog('gone');
  await gone.append([record(0)]).durable;
  for (let index = 0; index < 12; index += 2) {
    await journal.append([record(index), record(index + 1)]).durable;
    await settle();
  }
  await journal.trimTo(3);
  await store.dropLog('gone');
  timers.advance(25);
  await settle();
  if (stop === 'clean') await store.close();
  return filesOf(disk);
}

function filesOf(disk: SimulatedDisk): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const [path, bytes] of disk.files()) {
    // LOCK and tmp/ are empty: git keeps neither.
    if (bytes.length > 0) files.set(path.slice(directory.length + 1), bytes);
  }
  return files;
}

async function filesUnder(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}

describe('a folder written today', () => {
  it.each(stops)('equals the golden folder of this version, byte for byte: %s', async (stop) => {
    await expectGolden(join(golden, `v${currentVersion}`, stop), await writeFolder(stop));
  });

  it('equals the golden folder of this version, byte for byte: compacted', async () => {
    await expectGolden(
      join(golden, `v${currentVersion}`, 'compacted'),
      await writeCompactedFolder(),
    );
  });

  it('equals the golden folder of the chain, byte for byte', async () => {
    await expectGolden(join(golden, chainVersion), await writeChainedFolder());
  });
});

const folders = [1, currentVersion].flatMap((version) =>
  stops.map((stop) => ({ version, stop, folder: join(golden, `v${version}`, stop) })),
);

describe.each(folders)('the golden folder of version $version, $stop', ({ stop, folder }) => {
  it('opens, reads and takes a new record', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
    const copy = join(parent, 'data');
    await cp(folder, copy, { recursive: true });
    const store = await open(nodeDisk, copy);
    expect(store.report.wasClean).toBe(stop === 'clean');
    expect(store.logs().map(({ name }) => name)).toEqual(['journal']);
    const log = store.log('journal');
    if (log === undefined) throw new Error('no journal');
    expect([log.startOffset, log.endOffset]).toEqual([2, 12]);
    const read = (await log.read(2)).flatMap((batch) => batch.records());
    for (const [index, { offset, key, value, headers, terms, timestamp }] of read.entries()) {
      const { timestamp: given, ...expected } = record(index + 2);
      expect({ key, value, headers, terms }).toEqual(expected);
      expect([offset, timestamp]).toEqual([index + 2, given ?? 1_700_000_000_000]);
    }
    expect(read).toHaveLength(10);
    const odd: number[] = [];
    for await (const offset of log.find('run-1')) odd.push(offset);
    expect(odd).toEqual([3, 5, 7, 9, 11]);
    await log.append([record(12)]).durable;
    await log.verify();
    await store.close();
    await rm(parent, { recursive: true });
  });

  it('is refused, untouched, by a program that is too old for it', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
    const copy = join(parent, 'data');
    await cp(folder, copy, { recursive: true });
    for (const name of ['MANIFEST', 'MANIFEST.copy']) {
      const bytes = await readFile(join(copy, name));
      bytes.writeUInt16LE(newestVersion + 1, 10);
      bytes.writeUInt32LE(crc32(bytes.subarray(8, 32)), 4);
      await writeFile(join(copy, name), bytes);
    }
    await expect(open(nodeDisk, copy)).rejects.toMatchObject({
      code: 'newer_format',
      exitCode: 65,
    });
    expect(await readFile(join(copy, 'logs/0000000000/0000000001.log'))).toEqual(
      await readFile(join(folder, 'logs/0000000000/0000000001.log')),
    );
    await rm(parent, { recursive: true });
  });
});

describe('golden folders', () => {
  it.each(['v1/clean', 'v1/killed', 'v2/killed'])('can be swept: %s', async (name) => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
    const copy = join(parent, 'data');
    await cp(join(golden, name), copy, { recursive: true });
    const store = await open(nodeDisk, copy);
    const log = store.log('journal');
    if (log === undefined) throw new Error('no log');
    await log.roll();
    const offsets = async () =>
      (await log.read(log.startOffset)).flatMap((batch) => batch.records().map((r) => r.offset));
    const before = await offsets();
    const keeps = ({ offset }: { readonly offset: number }) => offset % 3 === 0;
    const settled = async () => undefined;
    await log.sweep({ until: Number.POSITIVE_INFINITY, keeps, settled });
    expect(await offsets()).toEqual(before.filter((offset) => offset % 3 === 0));
    await store.close();
    const { damages } = await verifyStore(nodeDisk, copy, { ...optionsOf(), readOnly: true });
    expect(damages).toEqual([]);
    await rm(parent, { recursive: true });
  });
});

describe('the golden folder of a compacted log', () => {
  it('opens, is whole, and is compacted further', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
    const copy = join(parent, 'data');
    await cp(join(golden, 'v2/compacted'), copy, { recursive: true });
    const { damages } = await verifyStore(nodeDisk, copy, { ...optionsOf(), readOnly: true });
    expect(damages).toEqual([]);
    const store = await open(nodeDisk, copy);
    const log = store.log('offsets');
    if (log === undefined) throw new Error('no log');
    const offsets = async () =>
      (await log.read(0)).flatMap((batch) => batch.records()).map(({ offset }) => offset);
    expect(await offsets()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await log.roll();
    await log.compact({ tombstonesBefore: Number.POSITIVE_INFINITY });
    expect(await offsets()).toEqual([4, 7, 8, 9]);
    await log.verify();
    await store.close();
    await rm(parent, { recursive: true });
  });
});

describe('the golden folder of a log with a chain', () => {
  it('has the heads that it had, even when it is swept further', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
    const copy = join(parent, 'data');
    await cp(join(golden, chainVersion), copy, { recursive: true });
    const verified = async () => {
      const found = await verifyStore(nodeDisk, copy, { ...optionsOf(), readOnly: true });
      expect(found.damages).toEqual([]);
      return found.logs[0]?.chain;
    };
    const before = await verified();
    expect(before).toMatchObject({ removedRecords: 5, removedUntil: 8 });
    const chain = { covers: () => true };
    const store = await openStore(nodeDisk, copy, { ...optionsOf(), chain });
    const keeps = ({ offset }: { readonly offset: number }) => offset % 6 === 0;
    const settled = async () => undefined;
    await store.log('journal')?.sweep({ until: Number.POSITIVE_INFINITY, keeps, settled });
    await store.close();
    expect(await verified()).toEqual({ ...before, removedRecords: 10, removedUntil: 12 });
    await rm(parent, { recursive: true });
  });
});
