import { StoreDirectory } from '../../storage/disk/store-directory.js';
import { loadManifest } from '../../storage/manifest/manifest-file.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { openSimulated, settle } from './simulated-store.js';

/** A store of this many logs with one record each, which was closed. */
async function closedStore(logs: number) {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const { store } = await openSimulated(disk);
  for (let count = 0; count < logs; count += 1) {
    const log = await store.createLog(`log-${count}`);
    await log.append([{ key: null, value: Buffer.from('one'), terms: ['a'] }]).durable;
  }
  await store.close();
  return disk;
}

/** The disk calls for opening and closing a store, by operation. */
async function callsOf(disk: SimulatedDisk, logs: number): Promise<Map<string, number>> {
  const before = new Map<string, number>(disk.calls);
  const { store } = await openSimulated(disk);
  const marks = store.logs().map(({ highWatermark }) => highWatermark);
  expect(marks).toEqual(Array.from({ length: logs }, () => 1));
  await store.close();
  return new Map([...disk.calls].map(([name, calls]) => [name, calls - (before.get(name) ?? 0)]));
}

describe('a store of many logs that was closed', () => {
  it('is opened and closed with few disk calls per log', async () => {
    const few = await callsOf(await closedStore(20), 20);
    const many = await callsOf(await closedStore(120), 120);
    const perLog = [...many].map(([name, calls]) => [name, (calls - (few.get(name) ?? 0)) / 100]);
    // A listing, the length of the segment, and its index: opened, measured, read and closed. Each
    // log makes the manifest longer, so that this disk needs more writes for it.
    const isCounted = ([name, calls]: (string | number)[]) => calls !== 0 && name !== 'write';
    expect(Object.fromEntries(perLog.filter(isCounted))).toEqual({
      list: 1,
      size: 2,
      open: 1,
      read: 1,
      close: 1,
    });
  }, 30_000);

  it('holds no file open for a log that is not in use', async () => {
    const disk = await closedStore(60);
    const { store } = await openSimulated(disk);
    expect(disk.openPaths.filter((path) => path.includes('/logs/'))).toEqual([]);
    await store.close();
  });
});

describe('a manifest whose state is larger than its edits may be', () => {
  it('is not rewritten for each edit', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store } = await openSimulated(disk, { manifestBytesMax: 500 });
    const renames = () => disk.calls.get('rename') ?? 0;
    for (let count = 0; count < 100; count += 1) await store.createLog(`log-${count}`);
    const before = renames();
    for (let count = 100; count < 120; count += 1) await store.createLog(`log-${count}`);
    // Two copies, one generation at most.
    expect(renames() - before).toBeLessThanOrEqual(2);
    await store.close();
    const again = await openSimulated(disk);
    expect(again.store.logs().length).toBe(120);
    await again.store.close();
  });
});

describe('a store with more logs than files may be open', () => {
  it('writes to all of them, with as many files open as it may have', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store, failures } = await openSimulated(disk, { openFilesMax: 8 });
    const opened: number[] = [];
    const countOpen = () => disk.openPaths.filter((path) => path.includes('/logs/')).length;
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 40; count += 1) {
        const log = await store.createLog(`log-${count}`);
        await log.append([{ key: null, value: Buffer.alloc(600, round) }]).durable;
        await settle();
        opened.push(countOpen());
      }
    }
    expect(Math.max(...opened)).toBe(8);
    for (const log of store.logs()) {
      const values = (await log.read(0)).flatMap((batch) => batch.records());
      expect(values.map(({ value }) => value?.[0])).toEqual([0, 1, 2]);
    }
    expect(failures).toEqual([]);
    await store.close();
    expect(disk.openPaths).toEqual([]);
  });

  it('has all of it on disk when it is closed, even in the fsync mode os', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store } = await openSimulated(disk, { openFilesMax: 4, fsync: 'os' });
    for (let count = 0; count < 12; count += 1) {
      const log = await store.createLog(`log-${count}`);
      await log.append([{ key: null, value: Buffer.from('one') }]).durable;
      await settle();
    }
    await store.close();
    const again = await openSimulated(disk.crash('nothing', 1), { fsync: 'os' });
    const marks = again.store.logs().map(({ highWatermark }) => highWatermark);
    expect(marks).toEqual(Array.from({ length: 12 }, () => 1));
    for (const log of again.store.logs()) await log.verify();
    await again.store.close();
  });
});

it('the manifest forgets dropped logs once their files are gone', async () => {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const { store } = await openSimulated(disk, { manifestBytesMax: 500 });
  for (let count = 0; count < 100; count += 1) {
    const log = await store.createLog('log');
    await log.append([{ key: null, value: Buffer.from('one') }]).durable;
    await store.dropLog('log');
  }
  const cut = disk.restart();
  const loaded = await loadManifest(cut, new StoreDirectory('/data'));
  // Those since the last generation, which its edits name.
  expect(loaded?.state.dropped.length).toBeLessThan(20);
  expect(await cut.list('/data/logs')).toEqual([]);
  await store.close();
});
