/** Making files durable: a bounded number at a time, and a failure is the end of the store. */
import type { Fence } from '../faults/fence.js';
import type { Disk, FileHandle } from './disk.js';
import type { OwnFile } from './open-files.js';
import { writeFully } from './whole-file.js';

/** How a store makes its files durable. */
export interface FileSyncOptions {
  /** fdatasyncs that run at the same time. */
  readonly concurrentSyncs: number;
  /** Called when bytes or names begin to be made durable; the result is called when they are. */
  readonly onSync: (() => () => void) | undefined;
}

/** The fdatasyncs of one store. */
export class FileSync {
  /** Calls of `syncOwn` that have not returned. */
  syncing = 0;
  private readonly slots: SyncSlots;

  constructor(
    private readonly disk: Disk,
    private readonly fence: Fence,
    private readonly options: FileSyncOptions,
  ) {
    this.slots = new SyncSlots(options.concurrentSyncs);
  }

  /** fdatasync, of which only so many run at once; of a file that may be thrown away. */
  sync(file: FileHandle): Promise<void> {
    return this.oneOfFew(() => this.disk.sync(file));
  }

  /** fsync of a directory whose names may be lost. */
  syncDirectory(path: string): Promise<void> {
    return this.watched(() => this.disk.syncDirectory(path));
  }

  /** The same of a file that is relied on: a failure, whatever its code, fences the store. */
  readonly mustSync = (file: FileHandle): Promise<void> => {
    return this.sync(file).catch((error: unknown) => {
      throw this.fence.fail('fdatasync', error);
    });
  };

  /** The same of all that one user has written to a file of its own so far. */
  async syncOwn(file: OwnFile): Promise<void> {
    this.syncing += 1;
    try {
      await file.synced(this.mustSync);
    } finally {
      this.syncing -= 1;
    }
  }

  /**
   * Writes all of `source` to a file that was opened as `synced`, durably: it is an fdatasync like
   * the others, and a failure, whatever its code, fences the store.
   */
  mustWrite(file: FileHandle, source: Buffer, position: number): Promise<void> {
    const { disk } = this;
    const writing = this.oneOfFew(() => writeFully(disk, file, source, position, 'writeSynced'));
    return writing.catch((error: unknown) => {
      throw this.fence.fail('a synced write', error);
    });
  }

  /** fsync of a directory whose names are relied on: a failure fences the store. */
  mustSyncDirectory(path: string): Promise<void> {
    return this.syncDirectory(path).catch((error: unknown) => {
      throw this.fence.fail(`fsync of ${path}`, error);
    });
  }

  /** Runs what makes something durable, and reports it to `onSync`. */
  async watched(work: () => Promise<void>): Promise<void> {
    const returned = this.options.onSync?.();
    try {
      await work();
    } finally {
      returned?.();
    }
  }

  private oneOfFew(work: () => Promise<void>): Promise<void> {
    return this.slots.run(() => this.watched(work));
  }
}

/** At most so many fdatasyncs at once, in the order of asking: more make each of them slower. */
class SyncSlots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
