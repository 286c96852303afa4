import type { Disk } from '../../../storage/disk/disk.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../simulated-store.js';

/** A simulated disk, and what became durable on it without a report to `onSync`. */
class NoticedDisk extends SimulatedDisk {
  readonly unreported: string[] = [];
  private reportsOpen = 0;
  private readonly paths = new Map<number, string>();

  readonly onSync = (): (() => void) => {
    this.reportsOpen += 1;
    return () => {
      this.reportsOpen -= 1;
    };
  };

  override async open(...[path, mode]: Parameters<Disk['open']>): Promise<number> {
    const file = await super.open(path, mode);
    this.paths.set(file, path);
    return file;
  }

  override sync(file: number): Promise<void> {
    this.notice(this.paths.get(file) ?? '');
    return super.sync(file);
  }

  override writeSynced(...[file, ...rest]: Parameters<Disk['writeSynced']>): Promise<number> {
    this.notice(this.paths.get(file) ?? '');
    return super.writeSynced(file, ...rest);
  }

  override syncDirectory(path: string): Promise<void> {
    this.notice(path);
    return super.syncDirectory(path);
  }

  private notice(path: string): void {
    if (this.reportsOpen === 0) this.unreported.push(path);
  }
}

it.each([
  ['with', 1024 * 1024],
  ['without', 0],
])('each sync of an append is reported, %s a file in front', async (_, writeAheadBytes) => {
  const disk = new NoticedDisk(new SeededRandom(3));
  const { store } = await openSimulated(disk, {
    onSync: disk.onSync,
    writeAheadBytes,
    syncsApart: 0,
    segmentBytes: 64 * 1024,
  });
  disk.unreported.length = 0;
  const value = Buffer.alloc(8000);
  for (const name of ['one', 'two']) {
    const log = await store.createLog(name);
    for (let left = 20; left > 0; left -= 1) {
      await log.append([{ key: null, value, terms: [] }]).durable;
    }
  }
  // Indexes are written behind the appends.
  expect(disk.unreported.filter((path) => !path.includes('index'))).toEqual([]);
  expect(disk.unreported.length).toBeGreaterThan(0);
  await store.close();
});
