/** The files that readers hold open: the least recently used are closed when there are too many. */
import { lacksDescriptors } from '../faults/storage-errors.js';
import type { Disk, FileHandle, OpenMode } from './disk.js';

interface OpenFile {
  readonly file: FileHandle;
  users: number;
  forgotten: boolean;
}

/**
 * Shares one handle per path among all readers, and counts the files of one user with them: at most
 * `max` are open and idle, and each of the two kinds may have half of them.
 */
export class OpenFiles {
  /** In order of use: a Map keeps insertion order. */
  private readonly open = new Map<string, OpenFile>();
  private readonly opening = new Map<string, Promise<OpenFile>>();
  /** Open files with one user each, in order of use. */
  private readonly own = new Set<OwnFile>();

  constructor(
    private readonly disk: Disk,
    private readonly max: number,
  ) {}

  /** Runs `use` with the file; the handle stays open for later users. */
  async use<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
    const entry = await this.acquire(path);
    try {
      return await use(entry.file);
    } finally {
      entry.users -= 1;
      if (entry.forgotten && entry.users === 0) await this.disk.close(entry.file);
    }
  }

  /** Opens a file for the caller alone; closes idle files once if the process has too many open. */
  async openOwn(path: string, mode: OpenMode): Promise<FileHandle> {
    try {
      return await this.disk.open(path, mode);
    } catch (error) {
      if (!lacksDescriptors(error)) throw error;
      await this.closeIdle(0);
      for (const file of [...this.own]) if (file.isIdle) await file.close(this.disk);
      return this.disk.open(path, mode);
    }
  }

  /** Notes that a file of one user was used; closes idle ones, the least recently used first. */
  usedOwn(used: OwnFile): void {
    this.own.delete(used);
    this.own.add(used);
    this.makeRoom();
  }

  /** Notes that the file is closed. */
  closedOwn(file: OwnFile): void {
    this.own.delete(file);
  }

  /** Closes the file of a path that is about to be removed, once its last reader is done. */
  async forget(path: string): Promise<void> {
    // Waits for an open in progress: a file opened after this would stay open although it is gone.
    await this.opening.get(path)?.catch(() => undefined);
    const entry = this.open.get(path);
    if (entry === undefined) return;
    this.open.delete(path);
    entry.forgotten = true;
    if (entry.users === 0) await this.disk.close(entry.file);
  }

  /** Closes the shared files, each once its last reader is done. */
  async close(): Promise<void> {
    for (const path of [...this.open.keys(), ...this.opening.keys()]) await this.forget(path);
  }

  private async acquire(path: string): Promise<OpenFile> {
    let entry = this.open.get(path);
    if (entry === undefined) {
      const opening = this.opening.get(path) ?? this.openShared(path);
      entry = await opening;
    }
    entry.users += 1;
    if (this.open.delete(path)) this.open.set(path, entry);
    return entry;
  }

  private openShared(path: string): Promise<OpenFile> {
    const opening = this.openOwn(path, 'read')
      .then((file) => {
        const entry = { file, users: 0, forgotten: false };
        this.open.set(path, entry);
        this.makeRoom();
        return entry;
      })
      .finally(() => this.opening.delete(path));
    this.opening.set(path, opening);
    return opening;
  }

  private makeRoom(): void {
    const { max, own } = this;
    if (own.size + this.open.size <= max) return;
    for (const file of own) {
      if (own.size + this.open.size <= max || own.size <= max / 2) break;
      if (file.isIdle) void file.close(this.disk).catch(() => undefined);
    }
    if (own.size + this.open.size > max) {
      void this.closeIdle(Math.max(max / 2, max - own.size)).catch(() => undefined);
    }
  }

  private async closeIdle(keep: number): Promise<void> {
    for (const [path, { users }] of [...this.open].slice(0, -1)) {
      if (this.open.size <= keep) return;
      if (users === 0) await this.forget(path);
    }
  }
}

/**
 * A file with one user, opened on demand and closed when it is idle and too many others are open: a
 * thousand logs hold only as many files as are being written at the same time.
 */
export class OwnFile {
  private opening: Promise<FileHandle> | null = null;
  private users = 0;
  private isUnsynced = false;
  /** Running, or failed: bytes whose sync has failed can never be known to be on disk. */
  private syncing: Promise<void> | null = null;

  constructor(
    private readonly files: OpenFiles,
    private readonly path: string,
    private readonly mode: 'write' | 'synced',
    /** Kept open until it is synced: only this handle is sure to report a write that failed. */
    private readonly isHeld: boolean,
  ) {}

  /** Whether it may be closed: it is not in use, and has nothing to be synced. */
  get isIdle(): boolean {
    return this.users === 0 && !(this.isHeld && this.isUnsynced);
  }

  /** Notes that the file has bytes to be synced. */
  wrote(): void {
    this.isUnsynced = true;
  }

  /** Settles once everything written to it before is on disk; runs one `sync` at a time. */
  async synced(sync: (file: FileHandle) => Promise<void>): Promise<void> {
    while (this.syncing !== null) await this.syncing;
    if (!this.isUnsynced) return;
    this.isUnsynced = false;
    this.syncing = this.use(sync).then(() => {
      this.syncing = null;
    });
    await this.syncing;
  }

  /** Runs `use` with the file, which stays open for later. */
  async use<T>(use: (file: FileHandle) => Promise<T>): Promise<T> {
    this.users += 1;
    try {
      return await use(await this.open());
    } finally {
      this.users -= 1;
      if (this.opening !== null) this.files.usedOwn(this);
    }
  }

  private async open(): Promise<FileHandle> {
    this.opening ??= this.files.openOwn(this.path, this.mode);
    try {
      return await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  /** Closes the handle; the next use, or a sync that is due, opens the file again. */
  async close(disk: Disk): Promise<void> {
    // Unless a sync is running, the handle is given up at once: no use gets one that is closing.
    if (this.syncing !== null) await this.syncing.catch(() => undefined);
    const { opening } = this;
    this.opening = null;
    this.files.closedOwn(this);
    if (opening !== null) await disk.close(await opening);
  }
}
