/**
 * Makes groups of many logs durable in one write: if files of several logs would be synced at the
 * same time, their groups are appended to one write-ahead log, and the files are synced later.
 */

import type { FileSync } from '../disk/file-sync.js';
import type { FreeSpace } from '../disk/free-space.js';
import type { Timer } from '../disk/timer.js';
import type { Fence } from '../faults/fence.js';
import { lacksDescriptors } from '../faults/storage-errors.js';
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import { removeWal, WalFile, type WalFolder } from './wal-file.js';
import { partLength, type WalPart } from './wal-format.js';

/** The store of the write-ahead log. */
export interface AheadStore extends WalFolder {
  readonly fileSync: FileSync;
  readonly freeSpace: FreeSpace;
  readonly fence: Fence;
  readonly manifest: ManifestKeeper;
  readonly after: Timer;
  randomBytes(length: number): Buffer;
}

/** How groups are written ahead. */
export interface AheadSettings {
  /** Bytes of the file; 0: each log syncs its own file. */
  readonly bytes: number;
  /** How many files are synced at the same time before groups are written ahead instead. */
  readonly syncsApart: number;
}

/** A log whose groups may be written ahead. */
export interface AheadLog {
  /** Syncs everything that was written to its file so far. */
  sync(): Promise<void>;
}

/** A larger group gains nothing by sharing a write. */
const partBytesMax = 64 * 1024;
const entryBytesMax = 4 * 1024 * 1024;
/** How many logs may have files to be synced: each may hold one open. */
const dirtyMax = 256;
const cleanedAtOnce = 2;
/** Files are synced after this time, in ms: after a quiet period a crash finds all in its place. */
const unsyncedMsMax = 5000;
/** If the log could not be made, it is tried again when needed, after this time in ms. */
const retryMs = 60_000;

/** What the file of a log may lack. */
interface Unsynced {
  /** The generation that contains the oldest of the groups. */
  readonly generation: number;
  /** The round of `cleanLater` in which the log became unsynced. */
  readonly round: number;
}

interface Waiting {
  readonly log: AheadLog;
  readonly part: WalPart;
  /** Called with whether the group was written ahead. */
  readonly settle: (isAhead: boolean) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * One per open store (ADR 98). Bounded in bytes by its file, and in time: a file that has waited 5
 * s for its sync is synced, so that recovery has little to read.
 */
export class WriteAhead {
  /** Groups are being written together, or the last ones were: more are expected. */
  isGathering = false;
  /** See `AheadSettings`. */
  readonly syncsApart: number;
  /** Logs whose own files may lack groups. */
  readonly dirty = new Map<AheadLog, Unsynced>();
  private file: WalFile | null = null;
  private making: Promise<void> | null = null;
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  /** How many groups the last entry had: a single group is better off in its own file. */
  private company = 0;
  /** Syncs that are running, or have failed. */
  private readonly cleaning = new Set<Unsynced>();
  private cleaner: Promise<void> | null = null;
  private round = 0;
  private cancelRound: (() => void) | null = null;
  private cancelRetry: () => void = () => undefined;
  private isClosed = false;

  constructor(
    private readonly store: AheadStore,
    private readonly settings: AheadSettings,
  ) {
    this.syncsApart = settings.bytes === 0 ? Number.POSITIVE_INFINITY : settings.syncsApart;
  }

  /**
   * Makes a group that a log has just written to its own file durable, together with groups of
   * other logs, and calls `log.sync` later. Returns false, having done nothing, if its own file
   * must be synced.
   */
  async append(log: AheadLog, part: WalPart): Promise<boolean> {
    if (!this.canTake(log, part)) return false;
    return new Promise((settle, refuse) => {
      this.waiting.push({ log, part, settle, refuse });
      this.isGathering = true;
      this.running ??= this.run();
    });
  }

  /** The file of a log now holds, on disk, everything that was written to it. */
  synced(log: AheadLog): void {
    this.dirty.delete(log);
  }

  /** Stops writing ahead; settles when nothing is running. Does not sync the logs' files. */
  async stop(): Promise<void> {
    this.isClosed = true;
    this.cancelRound?.();
    await this.making;
    this.cancelRetry();
    await this.running;
    await this.cleaner;
    await this.file?.close();
  }

  /** All files are synced: the log is not needed. Rejects if there is no room to record that. */
  async remove(): Promise<void> {
    await this.store.manifest.writesAhead(null);
    await removeWal(this.store);
  }

  private canTake(log: AheadLog, { bytes }: WalPart): boolean {
    if (this.isClosed || bytes.length > partBytesMax) return false;
    const { file } = this;
    if (file === null) {
      this.making ??= this.make();
      return false;
    }
    return (
      file.canHold(partLength(bytes.length)) && (this.dirty.size < dirtyMax || this.dirty.has(log))
    );
  }

  /** Until the file exists, each log syncs its own; this stays so while the file cannot be made. */
  private async make(): Promise<void> {
    const { store, settings } = this;
    try {
      if (await store.freeSpace.takes(settings.bytes)) this.file = await this.makeFile();
    } catch (error) {
      store.fence.fail('making the write-ahead log', error);
    }
    if (this.file !== null || this.isClosed) return;
    this.cancelRetry = store.after(retryMs, () => {
      this.making = null;
    });
  }

  /** Null for lack of room or of descriptors: nothing of the file is left then. */
  private async makeFile(): Promise<WalFile | null> {
    const { store, settings } = this;
    let file: WalFile | null = null;
    try {
      const id = store.randomBytes(16);
      file = await WalFile.make(store, settings.bytes, id);
      // After it is made and before it is used: from here on a start does not continue without it.
      await store.manifest.writesAhead(id);
      return file;
    } catch (error) {
      await file?.close();
      const { fence } = store;
      const isLacking = fence.lacksRoom(error) || (fence.error === null && lacksDescriptors(error));
      if (!isLacking) throw error;
      await store.disk.remove(store.directory.wal).catch(() => undefined);
      return null;
    }
  }

  private async run(): Promise<void> {
    const { file } = this;
    while (file !== null && this.waiting.length > 0) {
      const taken = this.take();
      try {
        const isAhead = await this.write(file, taken);
        for (const { settle } of taken) settle(isAhead);
      } catch (error) {
        for (const { refuse } of taken) refuse(error);
      }
      this.cleanSoon(file);
      this.cleanLater(file);
    }
    this.running = null;
    this.isGathering = this.company > 1;
  }

  private async write(file: WalFile, taken: readonly Waiting[]): Promise<boolean> {
    const { fence } = this.store;
    if (fence.error !== null) throw fence.error;
    const bytes = taken.reduce((sum, { part }) => sum + partLength(part.bytes.length), 0);
    if (!file.hasRoom(bytes)) {
      // The other half still counts: the callers sync their own files, as must those of that half.
      if (!this.isClean(file)) return false;
      await file.turn();
    }
    await file.append(
      taken.map(({ part }) => part),
      this.isClean(file),
    );
    this.company = taken.length;
    // Only now: a sync that began meanwhile may not have covered these groups.
    for (const { log } of taken) {
      if (this.dirty.has(log)) continue;
      this.dirty.set(log, { generation: file.current, round: this.round });
    }
    return true;
  }

  /** The waiting groups, as many as fit into one entry. */
  private take(): Waiting[] {
    let bytes = 0;
    const firstTooMany = this.waiting.findIndex(({ part }) => {
      bytes += partLength(part.bytes.length);
      return bytes > entryBytesMax || !(this.file?.canHold(bytes) ?? false);
    });
    return this.waiting.splice(
      0,
      Math.max(1, firstTooMany === -1 ? this.waiting.length : firstTooMany),
    );
  }

  /** Whether nothing of the generation before the current one is needed. */
  private isClean({ current }: WalFile): boolean {
    for (const { generation } of this.dirty.values()) if (generation < current) return false;
    for (const { generation } of this.cleaning) if (generation < current) return false;
    return true;
  }

  /** Syncs the files that the next half waits for, those beyond the limit, and old ones. */
  private cleanSoon(file: WalFile): void {
    // A failed sync has fenced the store.
    this.cleaner ??= this.clean(file)
      .catch(() => undefined)
      .finally(() => {
        this.cleaner = null;
      });
  }

  private async clean(file: WalFile): Promise<void> {
    while (!this.isClosed && this.store.fence.error === null) {
      const due = [...this.dirty]
        .filter(([, { generation, round }], place) => {
          const isOld = generation < file.current || round < this.round;
          return isOld || place < this.dirty.size - dirtyMax / 2;
        })
        .slice(0, cleanedAtOnce);
      if (due.length === 0) return;
      await Promise.all(due.map(([log]) => this.sync(log)));
    }
  }

  /** A round begins when files first wait to be synced: those still waiting at its end are due. */
  private cleanLater(file: WalFile): void {
    if (this.dirty.size === 0 || this.isClosed) return;
    this.cancelRound ??= this.store.after(unsyncedMsMax, () => {
      this.cancelRound = null;
      this.round += 1;
      this.cleanSoon(file);
    });
  }

  /** Syncs the file of a log; appends during the sync make the log dirty again. */
  private async sync(log: AheadLog): Promise<void> {
    const unsynced = this.dirty.get(log);
    if (unsynced === undefined) return;
    this.dirty.delete(log);
    this.cleaning.add(unsynced);
    await log.sync();
    // Not if the sync fails: the half with its groups is then needed for ever.
    this.cleaning.delete(unsynced);
  }
}
