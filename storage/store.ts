/** A folder of logs: opened by one process at a time, recovered, written, closed. */
import type { Disk } from './disk/disk.js';
import { inParallel } from './disk/in-parallel.js';
import { DamagedData, DiskFull, LogClosed, type StorageError } from './faults/storage-errors.js';
import { logTagOf } from './format/record-batch.js';
import { PartitionLog } from './log/partition-log.js';
import type { ClosedLog, LogSettings } from './manifest/manifest.js';
import { type OpenedDirectory, openDirectory } from './recovery/open-directory.js';
import type { LogReport } from './recovery/recovered-log.js';
import { writeIndexFile } from './segment/segment-lifecycle.js';
import type { FsyncMode, StoreContext, Timer } from './store-context.js';

/** How a store is opened. Sizes are bytes; the defaults are for production, tests shrink them. */
export interface StoreOptions {
  /** Unix time in milliseconds. */
  now(): number;
  /** The store's id comes from here. */
  randomBytes(length: number): Buffer;
  readonly fsync: FsyncMode;
  /** For looking at a folder that may be in use: no lock, nothing is written. */
  readonly readOnly?: boolean;
  /** 64 MiB. */
  readonly segmentBytes?: number;
  /** 64 MiB, kept to get out of a full disk; 0 keeps none. */
  readonly reserveBytes?: number;
  /** `hasRoom` is false below this; default: the larger of 1 GiB and 5 % of the file system. */
  readonly freeBytesMin?: number;
  /** 100,000 offsets at a time in the lazy modes. */
  readonly leaseOffsets?: number;
  /** 1,500,000 keys, 48 MiB, that a compaction holds in memory; what is more takes more passes. */
  readonly compactionKeysMax?: number;
  /** 4; keep it well below UV_THREADPOOL_SIZE. */
  readonly concurrentSyncs?: number;
  /** 256 files of sealed segments. */
  readonly openFilesMax?: number;
  /** 1 MiB of edits. */
  readonly manifestBytesMax?: number;
  /**
   * Which logs live with damage, by name: only the offsets in it cannot be read (`DamagedOffsets`).
   * Every other log refuses to open; so does one of these where nothing says where it ended.
   */
  readonly isolatesDamage?: (logName: string) => boolean;
  /** Told of damage that a log lives with, when it is found; also while the store is opened. */
  readonly onDamage?: (damage: DamagedData) => void;
  /** Told when a group of so many records goes to the disk; its answer, when it is acknowledged. */
  readonly onCommit?: (records: number) => () => void;
  /** Told when an fdatasync begins; its answer, when it has returned. */
  readonly onSync?: () => () => void;
  /** Timers that keep no process alive. */
  readonly after: Timer;
  /** A write or fdatasync failed: nothing more is accepted and the process must end. */
  onFailure(error: StorageError): void;
}

/** What opening a store found. */
export interface StoreReport {
  readonly epoch: number;
  /** The last process closed the store. */
  readonly wasClean: boolean;
  readonly logs: readonly LogReport[];
}

/**
 * Opens the folder, creating it if need be. Rejects with `DirectoryInUse` (exit 75), `DamagedData`
 * (exit 65; nothing was changed) or `DiskFailure` (exit 74).
 */
export async function openStore(
  disk: Disk,
  directory: string,
  options: StoreOptions,
): Promise<Store> {
  const open = () => openDirectory(disk, directory, options);
  // A running server writes while a reader looks: what seems damaged is looked at again.
  for (let retries = options.readOnly === true ? 3 : 0; retries > 0; retries -= 1) {
    try {
      return new Store(await open());
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
    }
  }
  return new Store(await open());
}

/** Logs whose last index is written at the same time. */
const logsClosedAtOnce = 16;

/** An open store. */
export class Store {
  /** What opening it found, per log. */
  readonly report: StoreReport;
  private readonly context: StoreContext;
  private readonly byName = new Map<string, PartitionLog>();
  private cancelSync: () => void = () => undefined;
  private changing: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | null = null;

  constructor(private readonly opened: OpenedDirectory) {
    const { context, report, logs } = opened;
    this.context = context;
    this.report = report;
    for (const { log, ...recovered } of logs) {
      this.byName.set(log.name, new PartitionLog(context, { ...log, ...recovered }));
    }
    context.fence.closed.push((error) => {
      for (const log of this.byName.values()) log.fence(error);
    });
    this.syncLater();
    if (!context.readOnly) void this.mergeSegments();
  }

  /** False below the free-space floor, and on a full disk: refuse new work, go on with the rest. */
  get hasRoom(): boolean {
    return this.context.freeSpace.hasRoom;
  }

  /** Calls `wake` once, when a look at the disk, a second away at most, finds room. */
  whenRoom(wake: () => void): void {
    this.context.freeSpace.whenRoom(wake);
  }

  /** The log of this name, if there is one. */
  log(name: string): PartitionLog | undefined {
    return this.byName.get(name);
  }

  /** Every log, in the order of creation. */
  logs(): readonly PartitionLog[] {
    return [...this.byName.values()];
  }

  /**
   * Creates a log, durably; a log of this name that exists is returned as it is. Rejects with
   * `DiskFull` where there is no room for it, and there is none then.
   */
  createLog(name: string, settings: LogSettings = {}): Promise<PartitionLog> {
    return this.change(async () => {
      const existing = this.byName.get(name);
      if (existing !== undefined) return existing;
      const { context } = this;
      const id = context.manifest.state.nextLogId;
      await context.edit({ type: 'logCreated', id, name, settings });
      const log = new PartitionLog(context, {
        id,
        name,
        settings,
        logTag: logTagOf(context.storeId, id),
        startOffset: 0,
        nextOffset: 0,
        lastTime: 0,
        segments: [],
        growing: null,
        prepared: null,
        toSeal: [],
      });
      if (settings.preparesNextSegment === true) await log.prepare();
      this.byName.set(name, log);
      return log;
    });
  }

  /**
   * Drops a log and its files; false when there is none of this name. Rejects with `DiskFull` where
   * not even the reserve has room to note it, and the log is as it was then.
   */
  dropLog(name: string): Promise<boolean> {
    return this.change(async () => {
      const log = this.byName.get(name);
      if (log === undefined) return false;
      await this.context.edit({ type: 'logDropped', id: log.id });
      this.byName.delete(name);
      await log.stop(new LogClosed(`log ${name} was dropped`));
      await log.closeWriter();
      await log.removeAllFiles();
      return true;
    });
  }

  /** Commits what waits, writes the clean marker and lets go of the folder. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    const { context, opened } = this;
    this.cancelSync();
    try {
      await context.freeSpace.stop();
      await this.changing;
      for (const log of this.byName.values()) await log.stop();
      if (!context.readOnly && context.fence.error === null) await this.stopCleanly();
    } catch (error) {
      throw context.fail('closing the store', error);
    } finally {
      await context.openFiles.close().catch(() => undefined);
      await opened.release();
    }
    if (context.fence.error !== null) throw context.fence.error;
  }

  /** Where there is no room for the marker, the next start reads the ends of the logs instead. */
  private async stopCleanly(): Promise<void> {
    const { context, opened } = this;
    const unlessFull = (error: unknown) => {
      if (!context.lacksRoom(error)) throw error;
    };
    const closed: ClosedLog[] = [];
    let isSealed = true;
    await inParallel([...this.byName.values()], logsClosedAtOnce, async (log) => {
      await log.sync();
      const growing = await log.closeWriter();
      const left = log.segments.filter((segment) => !segment.isSealed);
      if (growing === null || growing.isEmpty) {
        isSealed &&= left.length === 0;
        return;
      }
      isSealed &&= left.length === 1;
      await writeIndexFile(context, log, growing).catch(unlessFull);
      closed.push({ id: log.id, number: growing.number, end: growing.toEnd() });
    });
    await opened.watermarks?.close();
    if (context.fence.error !== null) throw context.fence.error;
    if (isSealed) await context.edit({ type: 'closed', logs: closed }).catch(unlessFull);
    await context.manifest.close();
  }

  /** One change of the set of logs at a time. */
  private async change<T>(work: () => Promise<T>): Promise<T> {
    const { context } = this;
    if (context.fence.error !== null) throw context.fence.error;
    if (context.readOnly) throw new LogClosed('the store is open for reading only');
    if (this.closing !== null) throw new LogClosed('the store is closed');
    const changed = this.changing.then(work);
    this.changing = changed.catch(() => undefined);
    try {
      return await changed;
    } catch (error) {
      if (error instanceof DiskFull) throw error;
      throw context.fail('changing the set of logs', error);
    }
  }

  /** One log after the other, in the background: what crashes have left in small pieces. */
  private async mergeSegments(): Promise<void> {
    for (const log of this.logs()) {
      if (this.closing !== null) return;
      await log.merge();
    }
  }

  /** The timer of the mode that syncs at an interval. */
  private syncLater(): void {
    const { fsync, after, readOnly } = this.context;
    if (typeof fsync === 'string' || readOnly) return;
    this.cancelSync = after(fsync.intervalMs, () => {
      void this.syncAll().then((ok) => {
        if (ok && this.closing === null) this.syncLater();
      });
    });
  }

  private async syncAll(): Promise<boolean> {
    try {
      await Promise.all([...this.byName.values()].map((log) => log.sync()));
      return true;
    } catch (error) {
      this.context.fail('fdatasync', error);
      return false;
    }
  }
}
