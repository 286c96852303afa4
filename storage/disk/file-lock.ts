/**
 * The lock of a data folder: exclusive, taken without waiting, and freed by the kernel when its
 * holder dies, however. Locks of two kinds do not exclude each other, so the kind depends on the
 * platform alone.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { errorCode, LockUnavailable } from '../faults/storage-errors.js';

/** Locks the whole open file; false while another open file holds it. Throws system errors. */
export type TryLock = (file: number) => boolean;

/** The prebuilt addon: an open file description lock on Linux, flock(2) on macOS. */
interface Addon {
  tryLock(file: number): boolean;
}

/** The same as its package calls it: throws `EAGAIN` where another open file holds the lock. */
interface Binding {
  tryLock(file: number, offset: number, length: number, isExclusive: boolean): void;
}

/** The codes of a package that is not there, or ships nothing for this platform that loads. */
const unloadable = new Set(['ADDON_NOT_FOUND', 'CANNOT_LOAD', 'MODULE_NOT_FOUND']);

let chosen: TryLock | undefined;

/**
 * The kind of lock of this machine, found at the first call: `isAlpine` says whether it is one of
 * Alpine Linux. Throws `LockUnavailable`.
 */
export function tryLock(file: number, isAlpine: () => boolean = () => false): boolean {
  chosen ??= chooseLock(createRequire(import.meta.url), isAlpine());
  return chosen(file);
}

/** The addon's lock where `load` (which resolves as `require` does) finds it, else flock(1)'s. */
export function chooseLock(load: (name: string) => unknown, isAlpine = false): TryLock {
  const lock = isAlpine ? null : lockOfBinding(load);
  if (lock !== null) return lock;
  try {
    // What is loaded has the types of its package.
    const { tryLock } = load('fs-native-extensions') as Addon;
    return (file) => tryLock(file);
  } catch (error) {
    if (!unloadable.has(errorCode(error) ?? '')) throw error;
    return (file) => flock(file, error);
  }
}

/**
 * The addon by its file: the package's own search for it takes 15 ms of a start (ADR 96). null
 * where it is not there or does not load. On Alpine Linux the package looks for another.
 */
function lockOfBinding(load: (name: string) => unknown): TryLock | null {
  const host = `${process.platform}-${process.arch}`;
  try {
    const file = `fs-native-extensions/prebuilds/${host}/fs-native-extensions.node`;
    // It has no types of its own.
    const binding = load(file) as Binding;
    return (opened) => tryBinding(binding, opened);
  } catch {
    return null;
  }
}

function tryBinding(binding: Binding, file: number): boolean {
  try {
    // No length: to the end of the file, wherever that is.
    binding.tryLock(file, 0, 0, true);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}

/** What flock(1) exits with where another holds the lock. */
const held = 1;

/**
 * flock(2) by the command of that name, which Alpine Linux has too: the lock belongs to the open
 * file, which the command shares with this process and which stays open here when it ends.
 */
function flock(file: number, addonError: unknown): boolean {
  const { status, error, stderr } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
  });
  if (error !== undefined) throw new LockUnavailable(addonError);
  if (status === 0 || status === held) return status === 0;
  throw new Error(`flock ended with ${status}: ${stderr.toString().trim()}`);
}
