/** The write-ahead log of a folder without a store, and logs that write to it. */
import { FileSync } from '../../../storage/disk/file-sync.js';
import { FreeSpace } from '../../../storage/disk/free-space.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { Fence } from '../../../storage/faults/fence.js';
import { emptyManifest } from '../../../storage/manifest/manifest.js';
import { ManifestFile } from '../../../storage/manifest/manifest-file.js';
import { ManifestKeeper } from '../../../storage/manifest/manifest-keeper.js';
import type { WalFolder } from '../../../storage/wal/wal-file.js';
import type { WalPart } from '../../../storage/wal/wal-format.js';
import { type AheadLog, WriteAhead } from '../../../storage/wal/write-ahead.js';
import type { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { ManualTimers } from '../simulated-store.js';

const random = (length: number) => Buffer.alloc(length, 7);
/** The bytes of the write-ahead log. */
export const id = random(16);

/** A folder with a manifest and no logs, and its write-ahead log. */
export async function openAhead(disk: SimulatedDisk, bytes: number) {
  const directory = new StoreDirectory('/data');
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  await disk.makeDirectory(directory.aside);
  const folder: WalFolder = { disk, directory };
  const fence = new Fence();
  const space = { reserveBytes: 0, after: () => () => undefined, randomBytes: random };
  const freeSpace = new FreeSpace(disk, directory, { ...space, freeBytesMin: 0 });
  const content = { storeId: random(16), generation: 0, state: emptyManifest };
  const file = new ManifestFile(disk, directory, content);
  await file.beginGeneration();
  const fileSync = new FileSync(disk, fence, { concurrentSyncs: 4, onSync: undefined });
  const manifest = new ManifestKeeper(file, freeSpace, fence, fileSync);
  const timers = new ManualTimers();
  const { after } = timers;
  const store = { ...folder, fileSync, freeSpace, fence, manifest, after, randomBytes: random };
  const ahead = new WriteAhead(store, { bytes, syncsApart: 0 });
  return { folder, timers, fence, ahead };
}

/** A log whose file is synced when the test says so, and which knows what of it is on disk. */
export class KnownLog implements AheadLog {
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

  /**
   * Appends `length` bytes, which are acknowledged when this settles. Returns whether they were
   * written ahead.
   */
  async append(ahead: WriteAhead, length: number): Promise<boolean> {
    const part = { logId: this.id, number: 0, position: this.written, bytes: random(length) };
    this.written += length;
    if (await ahead.append(this, part)) {
      this.ahead.push(part);
      return true;
    }
    await this.sync();
    ahead.synced(this);
    return false;
  }
}
