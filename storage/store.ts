/** A folder of logs: opened by one process at a time, recovered, written and closed. */
import { archivedSegments } from './compaction/archived-segments.js';
import type { Disk } from './disk/disk.js';
import type { FreeSpace } from './disk/free-space.js';
import { inParallel } from './disk/in-parallel.js';
import { DamagedData, DiskFull, LogClosed } from './faults/storage-errors.js';
import { logTagOf } from './format/record-batch.js';
import { ArchivedLog } from './log/archived-log.js';
import { streamOf } from './log/commit-stream.js';
import type { LogStore } from './log/log-store.js';
import { PartitionLog } from './log/partition-log.js';
import type { ClosedLog, LogSettings } from './manifest/manifest.js';
import { type OpenedDirectory, openDirectory } from './recovery/open-directory.js';
import type { StoreReport } from './recovery/recovered-log.js';
import type { StoreOptions } from './recovery/store-options.js';
import { writeIndexFile } from './segment/segment-lifecycle.js';
import { Snapshots } from './snapshot/snapshots.js';

export type { StoreOptions } from './recovery/store-options.js';

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
  // A running server may write while a reader opens the folder: retry what seems to be damage.
  for (let retries = options.readOnly === true ? 3 : 0; retries > 0; retries -= 1) {
    try {
      return new Store(await open(), options);
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
    }
  }
  return new Store(await open(), options);
}

/** How many logs write their last index at the same time. */
const logsClosedAtOnce = 16;

/** An open store. */
export class Store {
  /** What recovery found in each log. */
  readonly report: StoreReport;
  /** Snapshots of what the users of the logs remember of them. */
  readonly snapshots: Snapshots;
  /**
   * `hasRoom` is false below the free-space minimum and on a full disk: refuse new work, but carry
   * on with the rest. `whenRoom` calls back once, when a check of the disk (at most a second away)
   * finds room.
   */
  readonly freeSpace: Pick<FreeSpace, 'hasRoom' | 'whenRoom'>;
  private readonly parts: LogStore;
  private readonly byName = new Map<string, PartitionLog>();
  private cancelSync: () => void = () => undefined;
  private changing: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | null = null;

  constructor(
    private readonly opened: OpenedDirectory,
    private readonly options: Pick<StoreOptions, 'after' | 'upkeepWaits'>,
  ) {
    const { store: parts, report, logs } = opened;
    this.parts = parts;
    this.freeSpace = parts.freeSpace;
    this.snapshots = new Snapshots(parts);
    this.report = report;
    for (const { log, ...recovered } of logs) {
      this.byName.set(log.name, new PartitionLog(parts, { ...log, ...recovered }));
    }
    parts.fence.closed.push((error) => {
      for (const log of this.byName.values()) log.fence(error);
    });
    this.syncLater();
    if (options.upkeepWaits !== true) this.beginUpkeep();
  }

  /**
   * Seals and merges, in the background, the segments that crashes have left; with `upkeepWaits`,
   * the user of the store decides when. A log that is rolled, trimmed, compacted, swept or closed
   * before then is sealed at that time.
   */
  beginUpkeep(): void {
    if (!this.parts.readOnly) void this.keepUp();
  }

  /** The permanent id of this store, in hexadecimal: its archive is a folder of this name. */
  get id(): string {
    return this.parts.storeId.toString('hex');
  }

  /** The log of this name, if there is one. */
  log(name: string): PartitionLog | undefined {
    return this.byName.get(name);
  }

  /**
   * A log together with its archived segments in `folder`; see `archivedSegments` for which folders
   * count as an archive and for the errors this rejects with.
   */
  async withArchive(log: PartitionLog, folder: string): Promise<ArchivedLog> {
    const { disk, storeId } = this.parts;
    const copies = await archivedSegments(disk, folder, storeId, log.id);
    return new ArchivedLog(this.parts, log, copies);
  }

  /** Every log, in the order of creation. */
  logs(): readonly PartitionLog[] {
    return [...this.byName.values()];
  }

  /**
   * Creates a log durably; returns an existing log of this name as it is. Rejects with `DiskFull`
   * if there is no room for it; no log is created then.
   */
  createLog(name: string, settings: LogSettings = {}): Promise<PartitionLog> {
    return this.change(async () => {
      const existing = this.byName.get(name);
      if (existing !== undefined) return existing;
      const { parts } = this;
      const id = parts.manifest.state.nextLogId;
      await parts.manifest.edit({ type: 'logCreated', id, name, settings });
      const log = new PartitionLog(parts, {
        id,
        name,
        settings,
        logTag: logTagOf(parts.storeId, id),
        startOffset: 0,
        nextOffset: 0,
        lastTime: 0,
        segments: [],
        growing: null,
        prepared: null,
        toSeal: [],
      });
      // If preparing fails, the first append waits for the remaining work and meets its error.
      if (settings.preparesNextSegment === true) log.prepare().catch(() => undefined);
      this.byName.set(name, log);
      return log;
    });
  }

  /**
   * Drops a log and its files; returns false if there is none of this name. Rejects with `DiskFull`
   * if even the reserve has no room to record it; the log is unchanged then, except that one shared
   * with other machines takes no more appends. Rejects with `LogClosed` if a shared log can be
   * dropped by another machine only: `isFollowed` says that one has dropped it.
   */
  dropLog(name: string, isFollowed = false): Promise<boolean> {
    return this.change(async () => {
      const log = this.byName.get(name);
      if (log === undefined) return false;
      const shared = isFollowed ? null : streamOf(this.parts.commits, name);
      const dropped = new LogClosed(`log ${name} was dropped`);
      if (shared !== null) {
        const { refusal: cause } = shared;
        if (cause !== null) throw new LogClosed(`log ${name} is not dropped here`, { cause });
        // First: other machines could not append anything that follows the drop in the stream.
        await log.stop(dropped);
        await shared.drop(name);
      }
      await this.parts.manifest.edit({ type: 'logDropped', id: log.id });
      this.byName.delete(name);
      await log.stop(dropped);
      await log.closeWriter();
      await log.removeAllFiles();
      this.parts.manifest.dropDone(log.id);
      return true;
    });
  }

  /** Commits what is waiting, writes the clean marker and releases the folder. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    const { parts, opened } = this;
    this.cancelSync();
    try {
      await parts.freeSpace.stop();
      await this.changing;
      for (const log of this.byName.values()) await log.stop();
      await parts.writeAhead.stop();
      if (!parts.readOnly && parts.fence.error === null) await this.stopCleanly();
    } catch (error) {
      throw parts.fence.fail('closing the store', error);
    } finally {
      await parts.openFiles.close().catch(() => undefined);
      await opened.release();
    }
    if (parts.fence.error !== null) throw parts.fence.error;
  }

  /** If there is no room for the marker, the next start reads the ends of the logs instead. */
  private async stopCleanly(): Promise<void> {
    const { parts } = this;
    const unlessFull = (error: unknown) => {
      if (!parts.fence.lacksRoom(error)) throw error;
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
      await writeIndexFile(parts, log, growing).catch(unlessFull);
      closed.push({ id: log.id, number: growing.number, end: growing.toEnd() });
    });
    await parts.watermarks?.close();
    if (parts.fence.error !== null) throw parts.fence.error;
    await parts.writeAhead.remove().catch(unlessFull);
    if (isSealed) await parts.manifest.edit({ type: 'closed', logs: closed }).catch(unlessFull);
    await parts.manifest.close();
  }

  /** Runs one change of the set of logs at a time. */
  private async change<T>(work: () => Promise<T>): Promise<T> {
    const { parts } = this;
    if (parts.fence.error !== null) throw parts.fence.error;
    if (parts.readOnly) throw new LogClosed('the store is open for reading only');
    if (this.closing !== null) throw new LogClosed('the store is closed');
    const changed = this.changing.then(work);
    this.changing = changed.catch(() => undefined);
    try {
      return await changed;
    } catch (error) {
      if (error instanceof DiskFull) throw error;
      throw parts.fence.fail('changing the set of logs', error);
    }
  }

  /** Runs the upkeep of one log after another. */
  private async keepUp(): Promise<void> {
    for (const log of this.logs()) {
      if (this.closing !== null) return;
      await log.keepUp();
    }
  }

  /** Starts the timer of the fsync mode that syncs at an interval. */
  private syncLater(): void {
    const { fsync, readOnly } = this.parts;
    if (typeof fsync === 'string' || readOnly) return;
    this.cancelSync = this.options.after(fsync.intervalMs, () => {
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
      this.parts.fence.fail('fdatasync', error);
      return false;
    }
  }
}
