import { backupFolder } from '../../../storage/backup/backup-folder.js';
import { withFile } from '../../../storage/disk/whole-file.js';
import type { CommitStream } from '../../../storage/log/commit-stream.js';
import { WatermarkFile } from '../../../storage/manifest/watermarks.js';
import { salvageFolder } from '../../../storage/salvage/salvage-folder.js';
import type { Store, StoreOptions } from '../../../storage/store.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { stride } from '../rounds.js';
import { directory, openSimulated, readOnly, settle } from '../simulated-store.js';

const ahead = { writeAheadBytes: 64 * 1024, freeBytesMin: 0, segmentBytes: 64 * 1024 };
const writing = { ...readOnly, ...ahead, readOnly: false, reserveBytes: 0 };
const names = Array.from({ length: 20 }, (_, index) => `log-${index}`);
const wal = `${directory}/WAL`;
const asideWal = `${directory}/tmp/wal`;
const asideManifest = `${directory}/tmp/MANIFEST`;

async function appendToAll(store: Store, value: string): Promise<void> {
  const appended = names.map((name) => {
    const record = { key: null, value: Buffer.from(value) };
    return store.log(name)?.append([record]).durable;
  });
  await Promise.all(appended);
}

/** Twenty logs with three records each, the last two of them written ahead; not closed. */
async function running(options: Partial<StoreOptions> = {}) {
  const disk = new SimulatedDisk(new SeededRandom(5));
  const { store, timers, failures } = await openSimulated(disk, { ...ahead, ...options });
  await Promise.all(names.map((name) => store.createLog(name)));
  await appendToAll(store, 'first');
  await appendToAll(store, 'second');
  const before = syncsOf(disk);
  await appendToAll(store, 'third');
  return { disk, store, timers, failures, syncs: syncsOf(disk) - before };
}

/** Synced writes among them. */
const syncsOf = ({ calls }: SimulatedDisk) => calls.get('sync') ?? 0;

const versionOf = (disk: SimulatedDisk) =>
  disk.files().get(`${directory}/MANIFEST`)?.readUInt16LE(10);

/** There is only as much room as is always left free. */
function lackRoom(disk: SimulatedDisk): void {
  disk.freeBytes = 32 * 1024;
}

/** Making the write-ahead log fails from the `nth` call on. */
function failTo(
  disk: SimulatedDisk,
  operation: 'open' | 'write',
  code: string,
  nth: number,
  under = asideWal,
): void {
  disk.failures = [{ operation, code, nth, lasting: true, under }];
}

async function valuesOf(store: Store, name: string, from = 0): Promise<string[]> {
  const batches = (await store.log(name)?.read(from)) ?? [];
  return batches.flatMap((batch) => batch.records().map(({ value }) => `${value}`));
}

describe('many logs that are appended to at the same time', () => {
  it('become durable in a few writes, each of which survives a power cut as a whole', async () => {
    const { disk, syncs } = await running();
    expect(syncs).toBeLessThan(names.length / 2);
    const left = disk.crash('nothing', 1);
    const { store } = await openSimulated(left, ahead);
    for (const name of names) {
      expect(await valuesOf(store, name)).toEqual(['first', 'second', 'third']);
    }
    expect(left.files().has(wal)).toBe(false);
    await store.close();
  });

  it('have no watermark before their groups are in their own files', async () => {
    const { disk, timers, store } = await running();
    const log = store.log('log-7');
    const marked = async () => {
      timers.advance(25);
      await settle();
      return withFile(disk, `${directory}/WATERMARKS`, 'read', (file) =>
        new WatermarkFile(disk, file).read(log?.id ?? 0, log?.logTag ?? 0),
      );
    };
    const end = log?.byteLength;
    expect(await marked()).toMatchObject({ acknowledged: 3, durableOffset: 2 });
    expect((await marked())?.durablePosition).toBeLessThan(end ?? 0);
    const left = await openSimulated(disk.crash('everything', 1), ahead);
    expect(await valuesOf(left.store, 'log-7')).toEqual(['first', 'second', 'third']);
    timers.advance(5000);
    await settle();
    expect(await marked()).toMatchObject({ durableOffset: 3, durablePosition: end });
    await store.close();
  });

  it('need a newer manifest version until they are closed', async () => {
    const { disk, store, failures } = await running();
    expect(versionOf(disk)).toBe(3);
    await store.close();
    expect(disk.openPaths).toEqual([]);
    expect(versionOf(disk)).toBe(2);
    expect(disk.files().has(wal)).toBe(false);
    const again = await openSimulated(disk, ahead);
    expect(again.store.report.wasClean).toBe(true);
    expect(await valuesOf(again.store, 'log-7')).toEqual(['first', 'second', 'third']);
    await again.store.close();
    expect(failures).toEqual([]);
  });

  it('are refused if acknowledged groups cannot be read, and reported by verify', async () => {
    const { disk } = await running();
    const left = disk.crash('nothing', 1);
    // In the first entry with groups.
    left.damage(wal, (bytes) => {
      bytes.writeUInt8(bytes.readUInt8(48 + 60) ^ 0x10, 48 + 60);
      return bytes;
    });
    await expect(openSimulated(left.copy(), ahead)).rejects.toMatchObject({
      exitCode: 65,
      range: { file: wal },
    });
    await expect(backupFolder(left, directory, '/copy', writing)).rejects.toThrow('not intact');
    const { damages } = await verifyStore(left, directory, readOnly);
    expect(damages.map(({ range }) => range.file)).toContain(wal);
  });

  it('cannot be recovered if the file of their segment is lost', async () => {
    const { disk } = await running();
    const left = disk.crash('nothing', 1);
    const segment = [...left.files().keys()].filter((path) => /logs.*log$/.test(path)).at(-1) ?? '';
    await left.remove(segment);
    await expect(openSimulated(left, ahead)).rejects.toMatchObject({
      exitCode: 65,
      range: { file: segment },
    });
  });

  it('are refused if the write-ahead log is gone, and reported by verify', async () => {
    const { disk } = await running();
    const left = disk.crash('nothing', 1);
    await left.remove(wal);
    await expect(openSimulated(left.copy(), ahead)).rejects.toMatchObject({
      exitCode: 65,
      range: { file: wal },
    });
    await expect(backupFolder(left, directory, '/copy', writing)).rejects.toThrow('missing');
    const { damages } = await verifyStore(left, directory, readOnly);
    expect(damages.map(({ range }) => range.file)).toContain(wal);
  });

  it.each([
    ['another length', (wal: Buffer) => wal.subarray(0, 1001)],
    ['half of its length', (wal: Buffer) => wal.subarray(0, wal.length / 2)],
    ['the id of another one', (wal: Buffer) => Buffer.from(wal).fill(9, 32, 48)],
  ])('are refused if the write-ahead log has %s', async (_, change) => {
    const { disk } = await running();
    const left = disk.crash('nothing', 1);
    left.damage(wal, change);
    await expect(openSimulated(left, ahead)).rejects.toMatchObject({ exitCode: 65 });
  });

  it('keep everything after power cuts at any moment of the repairing start', async () => {
    const { disk } = await running();
    const first = disk.crash('nothing', 1);
    const moments: SimulatedDisk[] = [];
    first.afterChange = () => moments.push(first.copy());
    await openSimulated(first, ahead);
    first.afterChange = null;
    expect(moments.length).toBeGreaterThan(names.length);
    for (const [at, moment] of moments.entries()) {
      if (at % stride(16) !== 0) continue;
      for (const policy of ['nothing', 'sectors'] as const) {
        const { store } = await openSimulated(moment.crash(policy, at), ahead);
        for (const name of names) {
          expect(await valuesOf(store, name)).toEqual(['first', 'second', 'third']);
        }
      }
    }
  });

  it('are not confused with a dropped log of the same name', async () => {
    const { disk, store } = await running();
    await store.dropLog('log-3');
    await store.createLog('log-3');
    await appendToAll(store, 'fourth');
    const again = await openSimulated(disk.crash('nothing', 1), ahead);
    expect(await valuesOf(again.store, 'log-3')).toEqual(['fourth']);
    expect(await valuesOf(again.store, 'log-4')).toEqual(['first', 'second', 'third', 'fourth']);
    await store.close();
  });

  it('keep everything if they are sealed, compacted, swept or trimmed meanwhile', async () => {
    const { disk, timers, store } = await running();
    const [sealed, compacted, swept, trimmed] = ['log-1', 'log-2', 'log-3', 'log-4'].map((name) =>
      store.log(name),
    );
    await sealed?.roll();
    await compacted?.roll();
    await compacted?.compact({ tombstonesBefore: 0 });
    await swept?.roll();
    // The watermarks now belong to the sealed segments.
    timers.advance(25);
    await settle();
    await swept?.sweep({
      until: 3,
      keeps: ({ offset }) => offset === 2,
      settled: async () => undefined,
    });
    await trimmed?.roll();
    await appendToAll(store, 'fourth');
    await trimmed?.trimTo(3);
    const again = await openSimulated(disk.crash('nothing', 1), ahead);
    const all = ['first', 'second', 'third', 'fourth'];
    expect(await valuesOf(again.store, 'log-1')).toEqual(all);
    expect(await valuesOf(again.store, 'log-2')).toEqual(all);
    expect(await valuesOf(again.store, 'log-3')).toEqual(['third', 'fourth']);
    expect(await valuesOf(again.store, 'log-4', 3)).toEqual(['fourth']);
    await store.close();
  });

  it('have their groups in a segment that ends, even without room to seal it', async () => {
    const { disk, timers, store } = await running();
    const log = store.log('log-7');
    failTo(disk, 'write', 'ENOSPC', 1, `${directory}/logs/0000000007/`);
    await expect(log?.roll()).rejects.toMatchObject({ code: 'disk_full' });
    timers.advance(5000);
    await settle();
    // Both halves are written over.
    const record = { key: null, value: Buffer.alloc(1000) };
    for (let count = 0; count < 5; count += 1) {
      const others = names.filter((name) => name !== 'log-7');
      await Promise.all(others.map((name) => store.log(name)?.append([record]).durable));
      timers.advance(5000);
      await settle();
    }
    expect(disk.files().get(wal)?.readUInt32LE(8)).toBeGreaterThan(2);
    const again = await openSimulated(disk.crash('nothing', 1), ahead);
    expect(await valuesOf(again.store, 'log-7')).toEqual(['first', 'second', 'third']);
  });

  it('are committed elsewhere first, if another machine is to have them', async () => {
    const committed: string[] = [];
    const commits: CommitStream = {
      shares: () => true,
      refusal: null,
      append: async (name) => void committed.push(name),
      drop: async () => undefined,
      trim: async () => undefined,
    };
    const { disk } = await running({ commits });
    expect(committed).toHaveLength(3 * names.length);
    const { store } = await openSimulated(disk.crash('nothing', 1), ahead);
    expect(await valuesOf(store, 'log-9')).toEqual(['first', 'second', 'third']);
  });

  it('leave a usable folder if there is no room at the clean stop', async () => {
    const { disk, store } = await running();
    failTo(disk, 'write', 'ENOSPC', 1, asideManifest);
    await store.close();
    disk.failures = [];
    expect(versionOf(disk)).toBe(3);
    expect(disk.files().has(wal)).toBe(true);
    const again = await openSimulated(disk.crash('nothing', 1), ahead);
    expect(again.store.report.wasClean).toBe(true);
    expect(await valuesOf(again.store, 'log-5')).toEqual(['first', 'second', 'third']);
    await again.store.close();
  });

  it('have their groups in their own files after some seconds', async () => {
    const { disk, timers, store } = await running();
    timers.advance(5000);
    await settle();
    const left = disk.crash('nothing', 1);
    const report = await backupFolder(left, directory, '/copy', writing);
    expect([...report.until.values()]).toEqual(names.map(() => 3));
    await appendToAll(store, 'fourth');
    const before = syncsOf(disk);
    timers.advance(5000);
    await settle();
    expect(syncsOf(disk) - before).toBeGreaterThanOrEqual(names.length);
    await store.close();
  });

  it.each([
    ['is room to spare', lackRoom],
    [
      'is room for the manifest',
      (disk: SimulatedDisk) => failTo(disk, 'write', 'ENOSPC', 1, asideManifest),
    ],
    ['is room for writes', (disk: SimulatedDisk) => failTo(disk, 'write', 'ENOSPC', 1)],
    ['are descriptors', (disk: SimulatedDisk) => failTo(disk, 'open', 'EMFILE', 1)],
    ['are enough descriptors', (disk: SimulatedDisk) => failTo(disk, 'open', 'ENFILE', 2)],
  ])('are written ahead once there %s again', async (_, lack) => {
    const disk = new SimulatedDisk(new SeededRandom(5));
    const { store, timers, failures } = await openSimulated(disk, ahead);
    await Promise.all(names.map((name) => store.createLog(name)));
    // Each of these makes a segment, one after another.
    await appendToAll(store, 'first');
    const room = disk.freeBytes;
    lack(disk);
    await appendToAll(store, 'second');
    await settle();
    expect(disk.files().has(wal)).toBe(false);
    expect(disk.openPaths.filter((path) => path.includes('wal'))).toEqual([]);
    Object.assign(disk, { freeBytes: room, failures: [] });
    await appendToAll(store, 'third');
    expect(disk.files().has(wal)).toBe(false);
    timers.advance(60_000);
    await appendToAll(store, 'fourth');
    await settle();
    expect(disk.files().has(wal)).toBe(true);
    expect(failures).toEqual([]);
    await store.close();
  });

  it('are copied while being written to, but not before a power cut is repaired', async () => {
    const { disk, store } = await running();
    const report = await backupFolder(disk, directory, '/copy', writing);
    expect([...report.until.values()]).toEqual(names.map(() => 3));
    await store.close();
    const left = (await running()).disk.crash('nothing', 1);
    const reason = 'start the server first';
    await expect(backupFolder(left, directory, '/copy', writing)).rejects.toThrow(reason);
    await expect(openSimulated(left, { ...ahead, readOnly: true })).rejects.toThrow(reason);
  });

  it('are in what is made of a damaged folder, as far as they read', async () => {
    const salvage = {
      known: { first: { name: 'log-0', settings: {} } },
      repair: async () => undefined,
      names: [],
      make: () => new Map(),
    };
    const left = (await running()).disk.crash('nothing', 1);
    const torn = left.copy();
    const { damages } = await salvageFolder(left, directory, '/good', writing, salvage);
    expect(damages).toEqual([]);
    const { store } = await openSimulated(left, ahead, '/good');
    for (const name of names) {
      expect(await valuesOf(store, name)).toEqual(['first', 'second', 'third']);
    }
    await store.close();
    torn.damage(wal, (bytes) => {
      // In the first entry with groups.
      bytes.writeUInt8(bytes.readUInt8(48 + 60) ^ 0x10, 48 + 60);
      return bytes;
    });
    await expect(openSimulated(torn.copy(), ahead)).rejects.toMatchObject({ code: 'damaged' });
    const { damages: said } = await salvageFolder(torn, directory, '/good', writing, salvage);
    expect(said.join()).toContain('WAL');
    const { store: made } = await openSimulated(torn, ahead, '/good');
    const values = await Promise.all(names.map((name) => valuesOf(made, name)));
    const whole = values.filter((of) => of.join() === 'first,second,third');
    expect(whole.length).toBe(names.length - 1);
    await made.close();
  });
});
