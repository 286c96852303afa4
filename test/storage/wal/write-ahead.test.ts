import { FileSync } from '../../../storage/disk/file-sync.js';
import { FreeSpace } from '../../../storage/disk/free-space.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { Fence } from '../../../storage/faults/fence.js';
import { emptyManifest } from '../../../storage/manifest/manifest.js';
import { ManifestFile } from '../../../storage/manifest/manifest-file.js';
import { ManifestKeeper } from '../../../storage/manifest/manifest-keeper.js';
import { readWalFile, type WalFolder } from '../../../storage/wal/wal-file.js';
import type { WalPart } from '../../../storage/wal/wal-format.js';
import { type AheadLog, WriteAhead } from '../../../storage/wal/write-ahead.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { rounds } from '../rounds.js';
import { ManualTimers, settle } from '../simulated-store.js';

const random = (length: number) => Buffer.alloc(length, 7);

/** A folder with a manifest and no logs, and the write-ahead log of it. */
async function openAhead(disk: SimulatedDisk, bytes: number) {
  const directory = new StoreDirectory('/data');
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  await disk.makeDirectory(directory.aside);
  const folder: WalFolder = { disk, directory, storeId: random(16) };
  const fence = new Fence();
  const space = { reserveBytes: 0, after: () => () => undefined, randomBytes: random };
  const freeSpace = new FreeSpace(disk, directory, { ...space, freeBytesMin: 0 });
  const content = { storeId: folder.storeId, generation: 0, state: emptyManifest };
  const file = new ManifestFile(disk, directory, content);
  await file.beginGeneration();
  const manifest = new ManifestKeeper(file, freeSpace, fence);
  const fileSync = new FileSync(disk, fence, { concurrentSyncs: 4, onSync: undefined });
  const timers = new ManualTimers();
  const { after } = timers;
  const store = { ...folder, fileSync, freeSpace, fence, manifest, after };
  return { folder, timers, ahead: new WriteAhead(store, { bytes, syncsApart: 0 }) };
}

/** A log whose file is synced when the test says so, and which knows what of it is on disk. */
class KnownLog implements AheadLog {
  written = 0;
  synced = 0;
  /** Parts that were written ahead, and not refused. */
  readonly ahead: WalPart[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor(readonly id: number) {}

  async sync(): Promise<void> {
    const upTo = this.written;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.synced = Math.max(this.synced, upTo);
  }

  letSync(): void {
    this.waiting.shift()?.();
  }

  get isSyncing(): boolean {
    return this.waiting.length > 0;
  }

  /** Appends `length` bytes: they are acknowledged when this settles. */
  async append(ahead: WriteAhead, length: number): Promise<void> {
    const part = { logId: this.id, number: 0, position: this.written, bytes: random(length) };
    this.written += length;
    if (await ahead.append(this, part)) {
      this.ahead.push(part);
      return;
    }
    await this.sync();
    ahead.synced(this);
  }
}

/** Throws where a part is neither in the file of its log, nor in what a power cut leaves. */
async function requireAll(disk: SimulatedDisk, folder: WalFolder, logs: readonly KnownLog[]) {
  const left = await readWalFile({ ...folder, disk: disk.crash('nothing', 1) });
  if (left?.fault != null) throw new Error(left.fault);
  const found = new Set(left?.parts.map(({ logId, position }) => `${logId}@${position}`));
  for (const { id, ahead, synced } of logs) {
    const lost = ahead.find(({ position, bytes }) => {
      return position + bytes.length > synced && !found.has(`${id}@${position}`);
    });
    if (lost !== undefined) throw new Error(`log ${id}: ${lost.position} is nowhere`);
  }
}

/** Throws where a power cut in the middle of a write looks like damage. */
async function requireReadable(images: readonly SimulatedDisk[], folder: WalFolder) {
  for (const [at, image] of images.entries()) {
    for (const policy of ['sectors', 'garbage'] as const) {
      const left = await readWalFile({ ...folder, disk: image.crash(policy, at) });
      if (left?.fault != null) throw new Error(`${policy}, change ${at}: ${left.fault}`);
    }
  }
}

/** Random appends to a few logs whose files are synced at random times. */
async function work(seed: number) {
  const draw = new SeededRandom(seed);
  const disk = new SimulatedDisk(new SeededRandom(seed + 1));
  const { folder, ahead } = await openAhead(disk, 800 + draw.below(1600));
  const images: SimulatedDisk[] = [];
  disk.afterChange = () => images.push(disk.copy());
  const logs = Array.from({ length: 2 + draw.below(4) }, (_, id) => new KnownLog(id));
  for (let step = 0; step < 40; step += 1) {
    const appending = logs
      .filter(() => draw.chance(0.6))
      .map((log) => log.append(ahead, 1 + draw.below(60)));
    await settle();
    if (draw.chance(0.5)) draw.pick(logs).letSync();
    await settle();
    await requireAll(disk, folder, logs);
    // What waits for a sync of its own file waits for that alone.
    for (let tries = 0; tries < 50 && logs.some(({ isSyncing }) => isSyncing); tries += 1) {
      if (draw.chance(0.7)) break;
      draw.pick(logs).letSync();
      await settle();
      await requireAll(disk, folder, logs);
    }
    const all = Promise.all(appending).then(() => true);
    while (!(await Promise.race([all, settle().then(() => false)]))) {
      draw.pick(logs).letSync();
      await settle();
      await requireAll(disk, folder, logs);
    }
  }
  disk.afterChange = null;
  await requireReadable(images, folder);
  const stopped = ahead.stop().then(() => true);
  while (!(await Promise.race([stopped, settle().then(() => false)]))) draw.pick(logs).letSync();
  return logs.reduce((sum, { ahead: parts }) => sum + parts.length, 0);
}

/** A log whose file cannot be synced. */
class BrokenLog extends KnownLog {
  override sync(): Promise<void> {
    return Promise.reject(new Error('EIO'));
  }
}

describe('groups that are written ahead', () => {
  it('are in the log for ever where the file of their segment cannot be synced', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { folder, ahead } = await openAhead(disk, 1200);
    const [broken, other] = [new BrokenLog(0), new KnownLog(1)];
    // The first of all makes the log.
    await broken.append(ahead, 10).catch(() => undefined);
    await settle();
    await broken.append(ahead, 10);
    for (let count = 0; count < 20; count += 1) {
      const appended = other.append(ahead, 100);
      await settle();
      other.letSync();
      await appended;
      await requireAll(disk, folder, [broken, other]);
    }
  });

  it('are in the log until the file of their segment is synced', async () => {
    let parts = 0;
    for (let seed = 1; seed <= 100 * rounds; seed += 1) {
      try {
        parts += await work(seed);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error}`);
      }
    }
    expect(parts).toBeGreaterThan(1000 * rounds);
  }, 120_000);
});
