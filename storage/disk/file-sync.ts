/** Making files durable: a bounded number at a time, and a failure is the end of the store. */
import type { Fence } from '../faults/fence.js';
import type { Disk, FileHandle } from './disk.js';
import type { OwnFile } from './open-files.js';
import { writeFully } from './whole-file.js';

/** How a store makes its files durable. */
export interface FileSyncOptions {
  /** fdatasyncs that run at the same time. */
  readonly concurrentSyncs: number;
  /** Called when an fdatasync or a synced write begins; the result when it has returned. */
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
    return this.timed(() => this.disk.sync(file));
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
    const writing = this.timed(() => writeFully(disk, file, source, position, 'writeSynced'));
    return writing.catch((error: unknown) => {
      throw this.fence.fail('a synced write', error);
    });
  }

  /** fsync of a directory whose names are relied on: a failure fences the store. */
  mustSyncDirectory(path: string): Promise<void> {
    return this.disk.syncDirectory(path).catch((error: unknown) => {
      throw this.fence.fail(`fsync of ${path}`, error);
    });
  }

  private timed(work: () => Promise<void>): Promise<void> {
    return this.slots.run(async () => {
      const returned = this.options.onSync?.();
      try {
        await work();
      } finally {
        returned?.();
      }
    });
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
