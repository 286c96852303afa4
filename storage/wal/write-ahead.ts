/**
 * Groups of many logs become durable in one write: where files of several logs would be synced at
 * the same time, their groups are appended to one write-ahead log, and the files are synced later.
 */

import type { FileSync } from '../disk/file-sync.js';
import type { FreeSpace } from '../disk/free-space.js';
import type { Fence } from '../faults/fence.js';
import { errorCode } from '../faults/storage-errors.js';
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import { removeWal, WalFile, type WalFolder } from './wal-file.js';
import { partLength, type WalPart } from './wal-format.js';

/** The store that the log is of. */
export interface AheadStore extends WalFolder {
  readonly fileSync: FileSync;
  readonly freeSpace: FreeSpace;
  readonly fence: Fence;
  readonly manifest: ManifestKeeper;
}

/** How groups are written ahead. */
export interface AheadSettings {
  /** Bytes of the file; 0: each log syncs its own. */
  readonly bytes: number;
  /** So many files are synced at the same time before groups are written ahead instead. */
  readonly syncsApart: number;
}

/** A log whose groups may be written ahead. */
export interface AheadLog {
  /** Syncs all of its file that was written so far. */
  sync(): Promise<void>;
}

/** A group that is larger gains nothing by company. */
const partBytesMax = 64 * 1024;
const entryBytesMax = 4 * 1024 * 1024;
/** Logs with files that are to be synced: each may hold one open. */
const dirtyMax = 256;
const cleanedAtOnce = 2;
const lacksDescriptors: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

interface Waiting {
  readonly log: AheadLog;
  readonly part: WalPart;
  /** Says whether it was written. */
  readonly settle: (isAhead: boolean) => void;
  readonly refuse: (error: unknown) => void;
}

export class WriteAhead {
  /** Groups are being written together, or the last ones were: more are expected. */
  isGathering = false;
  /** See `AheadSettings`. */
  readonly syncsApart: number;
  /** The generation that the oldest group of a log is in which its own file may lack. */
  readonly dirty = new Map<AheadLog, number>();
  private file: WalFile | null = null;
  private making: Promise<void> | null = null;
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  /** Groups of the last entry: one alone is better off with its own file. */
  private company = 0;
  /** The same as `dirty` of syncs that are under way. */
  private readonly cleaning = new Set<{ readonly generation: number }>();
  private cleaner: Promise<void> | null = null;
  private isClosed = false;

  constructor(
    private readonly store: AheadStore,
    private readonly settings: AheadSettings,
  ) {
    this.syncsApart = settings.bytes === 0 ? Number.POSITIVE_INFINITY : settings.syncsApart;
  }

  /**
   * Makes durable what a log has just written to its own file, together with groups of other logs,
   * and calls `log.sync` later. Answers false, having done nothing, where its own file is to be
   * synced.
   */
  async append(log: AheadLog, part: WalPart): Promise<boolean> {
    if (!this.canTake(log, part)) return false;
    return new Promise((settle, refuse) => {
      this.waiting.push({ log, part, settle, refuse });
      this.isGathering = true;
      this.running ??= this.run();
    });
  }

  /** The file of a log holds, on disk, all that was written to it. */
  synced(log: AheadLog): void {
    this.dirty.delete(log);
  }

  /** Nothing more is written ahead; settles when nothing is under way. Syncs no other file. */
  async stop(): Promise<void> {
    this.isClosed = true;
    await this.making;
    await this.running;
    await this.cleaner;
    await this.file?.close();
  }

  /** All files are synced: the log is not needed. */
  async remove(): Promise<void> {
    if (this.making !== null) await removeWal(this.store);
    await this.store.manifest.writesAhead(false);
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

  /**
   * Until it is there each log syncs its own file; so it stays where it cannot be made, for want of
   * room or of descriptors, until the next start. Any other failure fences the store.
   */
  private async make(): Promise<void> {
    const { store, settings } = this;
    if (!store.freeSpace.hasRoom) return;
    try {
      await store.manifest.writesAhead(true);
      this.file = await WalFile.make(store, store.fileSync, settings.bytes);
    } catch (error) {
      if (!store.fence.lacksRoom(error) && !lacksDescriptors.has(errorCode(error) ?? '')) {
        store.fence.fail('making the write-ahead log', error);
      }
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
    }
    this.running = null;
    this.isGathering = this.company > 1;
  }

  private async write(file: WalFile, taken: readonly Waiting[]): Promise<boolean> {
    const { fence } = this.store;
    if (fence.error !== null) throw fence.error;
    const bytes = taken.reduce((sum, { part }) => sum + partLength(part.bytes.length), 0);
    if (!file.hasRoom(bytes)) {
      // The other half still counts: what waits for it has its own files synced, as that has.
      if (!this.isClean(file)) return false;
      await file.turn();
    }
    await file.append(
      taken.map(({ part }) => part),
      this.isClean(file),
    );
    this.company = taken.length;
    // Now, and not before: a sync that began meanwhile may not have covered them.
    for (const { log } of taken) {
      if (!this.dirty.has(log)) this.dirty.set(log, file.current);
    }
    return true;
  }

  /** What waits, as far as one entry takes it. */
  private take(): Waiting[] {
    let bytes = 0;
    const fits = this.waiting.findIndex(({ part }) => {
      bytes += partLength(part.bytes.length);
      return bytes > entryBytesMax || !(this.file?.canHold(bytes) ?? false);
    });
    return this.waiting.splice(0, Math.max(1, fits === -1 ? this.waiting.length : fits));
  }

  /** Nothing of the generation before this one is needed. */
  private isClean({ current }: WalFile): boolean {
    for (const generation of this.dirty.values()) if (generation < current) return false;
    for (const { generation } of this.cleaning) if (generation < current) return false;
    return true;
  }

  /** Syncs files of logs that the half after this one waits for, and of logs beyond the bound. */
  private cleanSoon(file: WalFile): void {
    // A sync that fails has fenced the store.
    this.cleaner ??= this.clean(file)
      .catch(() => undefined)
      .finally(() => {
        this.cleaner = null;
      });
  }

  private async clean(file: WalFile): Promise<void> {
    while (!this.isClosed && this.store.fence.error === null) {
      const due = [...this.dirty]
        .filter(([, generation], place) => {
          return generation < file.current || place < this.dirty.size - dirtyMax / 2;
        })
        .slice(0, cleanedAtOnce);
      if (due.length === 0) return;
      await Promise.all(due.map(([log]) => this.sync(log)));
    }
  }

  /** What is appended to a log while its file is synced makes it dirty again. */
  private async sync(log: AheadLog): Promise<void> {
    const generation = this.dirty.get(log);
    if (generation === undefined) return;
    const under = { generation };
    this.dirty.delete(log);
    this.cleaning.add(under);
    await log.sync();
    // Not where that fails: the half that has its groups is needed for ever then.
    this.cleaning.delete(under);
  }
}
