/** Makes files durable, with a bounded number of syncs at a time; a failure ends the store. */
import type { Fence } from '../faults/fence.js';
import type { Disk, FileHandle } from './disk.js';
import { Slots } from './in-parallel.js';
import type { OwnFile } from './open-files.js';
import { writeFully } from './whole-file.js';

/** How a store makes its files durable. */
export interface FileSyncOptions {
  /** How many fdatasyncs run at the same time. */
  readonly concurrentSyncs: number;
  /** Called when bytes or names begin to be made durable; its result is called when they are. */
  readonly onSync: (() => () => void) | undefined;
}

/** The fdatasyncs of one store. */
export class FileSync {
  /** How many calls of `syncOwn` have not returned. */
  syncing = 0;
  /** More fdatasyncs at once slow each other down. */
  private readonly slots: Slots;

  constructor(
    private readonly disk: Disk,
    private readonly fence: Fence,
    private readonly options: FileSyncOptions,
  ) {
    this.slots = new Slots(options.concurrentSyncs);
  }

  /** Runs fdatasync, with the others, on a file that may be thrown away. */
  sync(file: FileHandle): Promise<void> {
    return this.oneOfFew(() => this.disk.sync(file));
  }

  /** Runs fsync on a directory whose names may be lost. */
  syncDirectory(path: string): Promise<void> {
    return this.watched(() => this.disk.syncDirectory(path));
  }

  /** Like `sync`, for a file that is relied on: a failure, whatever its code, fences the store. */
  readonly mustSync = (file: FileHandle): Promise<void> => {
    return this.sync(file).catch((error: unknown) => {
      throw this.fence.fail('fdatasync', error);
    });
  };

  /** Like `mustSync`, for everything that one user has written to its own file so far. */
  async syncOwn(file: OwnFile): Promise<void> {
    this.syncing += 1;
    try {
      await file.synced(this.mustSync);
    } finally {
      this.syncing -= 1;
    }
  }

  /**
   * Durably writes all of `source` to a file opened as `synced`: this counts as an fdatasync like
   * the others, and a failure, whatever its code, fences the store.
   */
  mustWrite(file: FileHandle, source: Buffer, position: number): Promise<void> {
    const { disk } = this;
    const writing = this.oneOfFew(() => writeFully(disk, file, source, position, 'writeSynced'));
    return writing.catch((error: unknown) => {
      throw this.fence.fail('a synced write', error);
    });
  }

  /** Runs fsync on a directory whose names are relied on: a failure fences the store. */
  mustSyncDirectory(path: string): Promise<void> {
    return this.syncDirectory(path).catch((error: unknown) => {
      throw this.fence.fail(`fsync of ${path}`, error);
    });
  }

  /** Runs work that makes something durable, and reports it to `onSync`. */
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
