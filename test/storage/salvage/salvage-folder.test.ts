import { backupFolder } from '../../../storage/backup/backup-folder.js';
import { salvageFolder } from '../../../storage/salvage/salvage-folder.js';
import { openStore } from '../../../storage/store.js';
import { crashPolicies, type SimulatedDisk } from '../../simulation/simulated-disk.js';
import { alternately } from '../rounds.js';
import { directory, openSimulated } from '../simulated-store.js';
import { offsetsIn, options, settings, written } from './salvaged-store.js';

const hurt = (disk: SimulatedDisk, file: string) =>
  disk.damage(file, (bytes) => {
    bytes[400] = (bytes[400] ?? 0) ^ 1;
    return bytes;
  });

describe('a salvaged folder', () => {
  it('has all that can be read, at its offset; and a start continues behind the loss', async () => {
    for (const kind of ['sealed', 'growing', 'missing'] as const) {
      const disk = (await written(1)).restart();
      const logs = [...disk.files()].filter(([path, bytes]) => {
        return /^\/data\/logs\/0000000000\/.*log$/.test(path) && bytes.some((byte) => byte !== 0);
      });
      const file = (kind === 'growing' ? logs.at(-1) : logs[1])?.[0] ?? '';
      if (kind === 'missing') await disk.remove(file);
      else hurt(disk, file);
      const before = disk.files();
      const { damages } = await salvageFolder(disk, directory, '/good', options, settings);
      expect(damages.length).toBeGreaterThan(0);
      for (const [path, bytes] of before) expect(disk.files().get(path)).toEqual(bytes);
      const store = await openStore(disk, '/good', options);
      const { events = [], orders } = await offsetsIn(store);
      expect(orders).toEqual(Array.from({ length: 15 }, (_, offset) => offset));
      expect(events.length).toBeGreaterThan(5);
      expect(events.length).toBeLessThan(15);
      expect(store.log('events')?.endOffset).toBe(15);
      await store.close();
    }
  });

  it('can be made from a disk that was mounted read-only', async () => {
    const disk = (await written(4)).restart();
    const { lock } = disk;
    // A lock needs the file to be open for writing.
    disk.lock = (path) =>
      path.startsWith(directory)
        ? Promise.reject(Object.assign(new Error('read-only file system'), { code: 'EROFS' }))
        : lock.call(disk, path);
    const { damages } = await salvageFolder(disk, directory, '/good', options, settings);
    expect(damages).toEqual([]);
    const store = await openStore(disk.restart(), '/good', options);
    const { events } = await offsetsIn(store);
    expect(events).toEqual(Array.from({ length: 15 }, (_, offset) => offset));
    await store.close();
  });

  it('gets its name once complete, and leaves the source, wherever a crash comes', async () => {
    const disk = (await written(2)).restart();
    hurt(disk, '/data/logs/0000000000/0000000001.log');
    await disk.syncDirectory('/');
    const source = [...disk.files()].filter(([path]) => path.startsWith('/data/logs'));
    const images: SimulatedDisk[] = [];
    disk.afterChange = () => images.push(disk.copy());
    await salvageFolder(disk, directory, '/good', options, settings);
    disk.afterChange = null;
    expect(images.length).toBeGreaterThan(30);
    for (const [at, image] of images.entries()) {
      if (at % 5 !== 0) continue;
      for (const policy of alternately(crashPolicies, at)) {
        const crashed = image.crash(policy, at);
        for (const [path, bytes] of source) expect(crashed.files().get(path)).toEqual(bytes);
        if (!(await crashed.list('/')).includes('good')) continue;
        const store = await openStore(crashed, '/good', options);
        expect((await offsetsIn(store))['orders']).toHaveLength(15);
        await store.close();
      }
      if (at % 10 !== 0) continue;
      // Another try removes what this one has left.
      await salvageFolder(image, directory, '/again', options, settings);
      const names = await image.list('/');
      if (names.includes('good')) continue;
      await salvageFolder(image, directory, '/good', options, settings);
      expect(await image.list('/')).toEqual(['again', 'data', 'good']);
    }
  }, 600_000);

  it('does not exist if an operation fails', async () => {
    let failed = 0;
    for (const operation of ['write', 'sync', 'rename', 'syncDirectory'] as const) {
      for (let nth = 1; nth < 30; nth += 7) {
        const disk = (await written(3)).restart();
        hurt(disk, '/data/logs/0000000000/0000000001.log');
        const done = disk.calls.get(operation) ?? 0;
        disk.failures = [{ operation, nth: done + nth, code: 'EIO' }];
        const error = await salvageFolder(disk, directory, '/good', options, settings).then(
          () => null,
          (caught: unknown) => caught,
        );
        disk.failures = [];
        if (error !== null) {
          failed += 1;
          expect(error).toMatchObject({ code: 'disk_failure' });
        }
        expect(await disk.list('/')).toEqual(error === null ? ['data', 'good'] : ['data']);
      }
    }
    expect(failed).toBeGreaterThan(10);
  });
});

describe('a folder salvaged although neither copy of the manifest begins intact', () => {
  const copies = ['/data/MANIFEST', '/data/MANIFEST.copy'];
  const all = Array.from({ length: 15 }, (_, offset) => offset);

  /** The content of a store that was salvaged from this one. */
  async function salvaged(disk: SimulatedDisk) {
    const { damages } = await salvageFolder(disk, directory, '/good', options, settings);
    const store = await openStore(disk, '/good', options);
    const offsets = await offsetsIn(store);
    const names = store.logs().map(({ id, name }) => `${id} ${name}`);
    const { durable } = store.log('events')?.append([{ key: null, value: null }]) ?? {};
    await durable;
    await store.close();
    const again = await openStore(disk, '/good', options);
    expect(again.log('events')?.endOffset).toBe(all.length + 1);
    await again.close();
    return { damages, offsets, names };
  }

  const headless = (bytes: Buffer) => bytes.fill(0xff, 0, Math.min(40, bytes.length));

  it('has everything, under the names that are left in the manifest', async () => {
    for (const stop of ['kill', 'cleanly'] as const) {
      let disk = await written(6);
      if (stop === 'cleanly') {
        const { store } = await openSimulated(disk.restart(), { segmentBytes: 900 });
        await store.close();
      }
      disk = disk.restart();
      for (const copy of copies) disk.damage(copy, headless);
      const { damages, offsets, names } = await salvaged(disk);
      expect(damages).toEqual([
        'neither copy of the manifest begins intact: it was rebuilt from the segments',
      ]);
      expect(offsets).toEqual({ events: all, orders: all });
      expect(names).toEqual(['0 events', '1 orders']);
    }
  });

  it('has all records of a log without a name, under another name', async () => {
    const disk = (await written(6)).restart();
    for (const copy of copies) await disk.remove(copy);
    const { damages, offsets } = await salvaged(disk);
    expect(offsets).toEqual({ events: all, 'found/1': all });
    expect(damages).toContain('logs/0000000001: nothing says its name; it is called found/1');
  });

  it('has a gap if a file is gone as well, and reports its offsets', async () => {
    const disk = (await written(6)).restart();
    for (const copy of copies) disk.damage(copy, headless);
    await disk.remove('/data/logs/0000000000/0000000001.log');
    const { damages, offsets } = await salvaged(disk);
    const { events = [], orders } = offsets;
    expect(orders).toEqual(all);
    const lost = all.filter((offset) => !events.includes(offset));
    const range = `[${lost[0]}, ${(lost.at(-1) ?? 0) + 1})`;
    expect(lost.length).toBeGreaterThan(1);
    expect(damages).toContain(`events ${range}: no file has these offsets`);
  });

  it('has what sweeps have left, even if a crash left the old files', async () => {
    const disk = (await written(7)).restart();
    const { store } = await openSimulated(disk, { segmentBytes: 900 });
    const images: SimulatedDisk[] = [];
    disk.afterChange = () => images.push(disk.copy());
    const kept = new Set([0, 3, 9]);
    for (const log of store.logs()) {
      await log.roll();
      await log.sweep({
        until: log.endOffset,
        keeps: ({ offset }) => kept.has(offset),
        settled: async () => undefined,
      });
    }
    disk.afterChange = null;
    await store.close();
    expect(images.length).toBeGreaterThan(20);
    for (const image of [...images.filter((_, at) => at % 3 === 0), disk.copy()]) {
      const { store: before } = await openSimulated(image.copy(), { segmentBytes: 900 });
      const expected = await offsetsIn(before);
      await before.close();
      for (const copy of copies) image.damage(copy, headless);
      const { offsets } = await salvaged(image);
      // A sweep that was not listed yet may count as done.
      for (const [name, some] of Object.entries(expected)) {
        expect(offsets[name]).toEqual(expect.arrayContaining([...kept]));
        expect(some).toEqual(expect.arrayContaining(offsets[name] ?? []));
      }
    }
  }, 120_000);

  it('does not exist if no segment begins intact either', async () => {
    const disk = (await written(6)).restart();
    for (const [path] of disk.files()) {
      if (/MANIFEST|[.]log$/.test(path)) disk.damage(path, headless);
    }
    await expect(salvageFolder(disk, directory, '/good', options, settings)).rejects.toMatchObject({
      code: 'damaged',
    });
    expect(await disk.list('/')).toEqual(['data']);
  });
});

describe('a copy of a store in which a log that isolates damage is damaged', () => {
  it('has what is before damage that was not sealed, and reports it', async () => {
    const disk = await written(4);
    const grown = [...disk.files()].findLast(([path, bytes]) => {
      return /^\/data\/logs\/0000000001\/.*log$/.test(path) && bytes.length > 450;
    });
    const isolatesDamage = (name: string) => name === 'orders';
    hurt(disk, grown?.[0] ?? '');
    await expect(backupFolder(disk, directory, '/copy', options)).rejects.toMatchObject({
      code: 'damaged',
    });
    const { lost, until } = await backupFolder(disk, directory, '/copy', {
      ...options,
      isolatesDamage,
    });
    const end = until.get('orders') ?? 0;
    expect(end).toBeLessThan(15);
    expect(lost).toEqual([{ log: 'orders', from: end, until: null }]);
    expect(until.get('events')).toBe(15);
    const store = await openStore(disk, '/copy', options);
    expect((await offsetsIn(store))['orders']).toHaveLength(end);
    await store.close();
  });

  it('lacks a sealed file that is gone, and reports it', async () => {
    const disk = await written(5);
    const isolatesDamage = (name: string) => name === 'orders';
    await disk.remove('/data/logs/0000000001/0000000001.log');
    await disk.remove('/data/logs/0000000001/0000000001.index');
    const { lost } = await backupFolder(disk, directory, '/copy', { ...options, isolatesDamage });
    expect(lost).toEqual([{ log: 'orders', from: expect.any(Number), until: expect.any(Number) }]);
    await expect(backupFolder(disk, directory, '/second', options)).rejects.toMatchObject({
      code: 'damaged',
    });
  });
});
