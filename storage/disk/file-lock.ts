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

/** The codes of a package that is not there, or ships nothing for this platform that loads. */
const unloadable = new Set(['ADDON_NOT_FOUND', 'CANNOT_LOAD', 'MODULE_NOT_FOUND']);

let chosen: TryLock | undefined;

/** The kind of lock of this machine, found at the first call. Throws `LockUnavailable`. */
export function tryLock(file: number): boolean {
  chosen ??= chooseLock(createRequire(import.meta.url));
  return chosen(file);
}

/** The addon's lock where `load` (which resolves as `require` does) finds it, else flock(1)'s. */
export function chooseLock(load: (name: string) => unknown): TryLock {
  try {
    const { tryLock } = load('fs-native-extensions') as Addon;
    return (file) => tryLock(file);
  } catch (error) {
    if (!unloadable.has(errorCode(error) ?? '')) throw error;
    return (file) => flock(file, error);
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
