/**
 * The lock of a data folder: exclusive, taken without waiting, and freed by the kernel when its
 * holder dies, in whatever way. Locks of two kinds do not exclude each other, so the kind must
 * depend on the platform alone.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { errorCode, LockUnavailable } from '../faults/storage-errors.js';

/** Locks the whole open file; false if another open file holds the lock. Throws system errors. */
export type TryLock = (file: number) => boolean;

/** The prebuilt addon: an open file description lock on Linux, flock(2) on macOS. */
interface Addon {
  tryLock(file: number): boolean;
}

/** The addon's own function: throws `EAGAIN` if another open file holds the lock. */
interface Binding {
  tryLock(file: number, offset: number, length: number, isExclusive: boolean): void;
}

/** Error codes if the package is missing, or has no loadable addon for this platform. */
const unloadable = new Set(['ADDON_NOT_FOUND', 'CANNOT_LOAD', 'MODULE_NOT_FOUND']);

let chosen: TryLock | undefined;

/**
 * Takes the lock, of the kind for this machine, which is chosen at the first call: `isAlpine` says
 * whether it runs Alpine Linux. Throws `LockUnavailable`.
 */
export function tryLock(file: number, isAlpine: () => boolean = () => false): boolean {
  chosen ??= chooseLock(createRequire(import.meta.url), isAlpine());
  return chosen(file);
}

/** The addon's lock if `load` (which resolves like `require`) finds it, else that of flock(1). */
export function chooseLock(load: (name: string) => unknown, isAlpine = false): TryLock {
  const lock = isAlpine ? null : lockOfBinding(load);
  if (lock !== null) return lock;
  try {
    // Cast: the loaded module has the types of its package.
    const { tryLock } = load('fs-native-extensions') as Addon;
    return (file) => tryLock(file);
  } catch (error) {
    if (!unloadable.has(errorCode(error) ?? '')) throw error;
    return (file) => flock(file, error);
  }
}

/**
 * The addon loaded by its file: the package's own search takes 15 ms of a start (ADR 96). Null if
 * it is missing or does not load. On Alpine Linux the package looks for another file.
 */
function lockOfBinding(load: (name: string) => unknown): TryLock | null {
  const host = `${process.platform}-${process.arch}`;
  try {
    const file = `fs-native-extensions/prebuilds/${host}/fs-native-extensions.node`;
    // Cast: the addon's file has no types of its own.
    const binding = load(file) as Binding;
    return (opened) => tryBinding(binding, opened);
  } catch {
    return null;
  }
}

function tryBinding(binding: Binding, file: number): boolean {
  try {
    // Length 0: to the end of the file, wherever that is.
    binding.tryLock(file, 0, 0, true);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}

/** The exit code of flock(1) if another process holds the lock. */
const held = 1;

/**
 * flock(2) by the command of that name, which Alpine Linux has, too: the lock belongs to the open
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
