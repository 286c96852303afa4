/** The disk port over node:fs, with callbacks, numeric handles and explicit positions. */
import * as fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../faults/storage-errors.js';
import type { Disk, OpenMode, Space } from './disk.js';
import { tryLock } from './file-lock.js';
import { QuickReads } from './quick-reads.js';
import { QuickWrites } from './quick-writes.js';

const { O_CREAT, O_DIRECTORY, O_DSYNC, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants;

/** O_DSYNC: one call for a write and its fdatasync (ADR 84). Other systems promise less for it. */
const hasSyncedWrites = process.platform === 'linux';

/** O_NOFOLLOW: a link in the folder is never followed, as a store owns all of its files. */
const flags: { readonly [Mode in OpenMode]: number } = {
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  write: O_RDWR | O_NOFOLLOW,
  synced: O_RDWR | O_NOFOLLOW | (hasSyncedWrites ? O_DSYNC : 0),
  read: O_RDONLY | O_NOFOLLOW,
};

type Settle = (error: NodeJS.ErrnoException | null) => void;

function done(start: (settle: Settle) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error === null ? resolve() : reject(error)));
  });
}

function result<T>(start: (settle: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error === null ? resolve(value) : reject(error)));
  });
}

/** A new segment, a snapshot or an edit of the manifest needs a few new files. */
const freeFilesMin = 16;

/**
 * The system's figures for a file system, as room for a store. Some file systems report 0 files in
 * total: those have no limit for them.
 */
export function spaceOf({
  bavail,
  bsize,
  blocks,
  files,
  ffree,
}: Pick<fs.StatsFs, 'bavail' | 'bsize' | 'blocks' | 'files' | 'ffree'>): Space {
  const takesFiles = files === 0 || ffree >= freeFilesMin;
  return { available: takesFiles ? bavail * bsize : 0, total: blocks * bsize };
}

function openFile(path: string, mode: number): Promise<number> {
  return result((settle) => fs.open(path, mode, 0o600, settle));
}

function write(file: number, source: Buffer, position: number): Promise<number> {
  return result((settle) => fs.write(file, source, 0, source.length, position, settle));
}

async function writeSynced(file: number, source: Buffer, position: number): Promise<number> {
  const quick = quickWrites.write(file, source, position);
  const written = quick ?? (await write(file, source, position));
  quickWrites.ended(source.length);
  return written;
}

async function writeThenSync(file: number, source: Buffer, position: number): Promise<number> {
  const written = await write(file, source, position);
  await done((settle) => fs.fdatasync(file, settle));
  return written;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await openFile(path, O_RDONLY | O_DIRECTORY);
  try {
    await done((settle) => fs.fsync(directory, settle));
  } finally {
    await done((settle) => fs.close(directory, settle));
  }
}

/** Alpine Linux has this file, and another C library than other distributions. */
const isAlpine = () => fs.existsSync('/etc/alpine-release');

/** How often, in ms, and how many times a lock that is held is tried again: for half a second. */
const lockRetryMs = 20;
const lockRetriesMax = 25;

/**
 * Locks a file. A forked child process holds all our files until it executes another program, so a
 * lock that was released may be held for some milliseconds more: by a process that another thread
 * of this one starts.
 */
async function lock(path: string): Promise<(() => Promise<void>) | null> {
  const file = await openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW);
  const close = () => done((settle) => fs.close(file, settle));
  try {
    for (let retries = 0; retries <= lockRetriesMax; retries += 1) {
      if (tryLock(file, isAlpine)) return close;
      await pause(lockRetryMs);
    }
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return null;
}

/** Adds a line to a file, which is created if need be; blocks until it is written. */
export function appendNow(path: string, text: string): void {
  const { O_APPEND, O_WRONLY } = fs.constants;
  const file = fs.openSync(path, O_CREAT | O_APPEND | O_WRONLY | O_NOFOLLOW, 0o600);
  fs.writeSync(file, text);
  fs.closeSync(file);
}

/** The whole content of a text file; blocks until it is read. */
export function readNow(path: string): string {
  return fs.readFileSync(path, 'utf8');
}

const quickReads = new QuickReads({
  readSync: fs.readSync,
  now: () => performance.now(),
  blocksRead: () => process.resourceUsage().fsRead,
});

const quickWrites = new QuickWrites({
  writeSync: fs.writeSync,
  now: () => performance.now(),
  idleMs: () => performance.nodeTiming.idleTime,
});

/** The file system of this machine. Directories are 0700, files 0600. */
export const nodeDisk: Disk = {
  async makeDirectory(path) {
    await done((settle) => fs.mkdir(path, 0o700, settle)).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  },
  async list(path) {
    const names = await result<string[]>((settle) => fs.readdir(path, settle));
    return names.sort();
  },
  open: (path, mode) => openFile(path, flags[mode]),
  close: (file) => done((settle) => fs.close(file, settle)),
  async size(file) {
    const stats = await result<fs.Stats>((settle) => fs.fstat(file, settle));
    return stats.size;
  },
  async sizeAt(path) {
    const stats = await result<fs.Stats>((settle) => fs.lstat(path, settle));
    return stats.size;
  },
  async read(file, target, position) {
    return (
      quickReads.read(file, target, position) ??
      result<number>((settle) => fs.read(file, target, 0, target.length, position, settle))
    );
  },
  write,
  writeSynced: hasSyncedWrites ? writeSynced : writeThenSync,
  truncate: (file, length) => done((settle) => fs.ftruncate(file, length, settle)),
  sync: (file) => done((settle) => fs.fdatasync(file, settle)),
  syncDirectory,
  rename: (from, to) => done((settle) => fs.rename(from, to, settle)),
  link: (from, to) => done((settle) => fs.link(from, to, settle)),
  async hasOtherNames(path) {
    const { nlink } = await result<fs.Stats>((settle) => fs.lstat(path, settle));
    return nlink > 1;
  },
  async identityOf(path) {
    // As numbers, large inodes would lose digits.
    const { dev, ino } = await result<fs.BigIntStats>((settle) =>
      fs.lstat(path, { bigint: true }, settle),
    );
    return `${dev}:${ino}`;
  },
  remove: (path) => done((settle) => fs.unlink(path, settle)),
  removeDirectory: (path) => done((settle) => fs.rmdir(path, settle)),
  async space(path) {
    return spaceOf(await result<fs.StatsFs>((settle) => fs.statfs(path, settle)));
  },
  lock,
};
