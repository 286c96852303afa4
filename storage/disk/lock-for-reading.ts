/** The lock of a folder that is only read: it keeps servers away that would write. */
import { errorCode } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';

/** Like `Disk.lock`, but succeeds on a read-only file system, where no server can write anyway. */
export async function lockForReading(
  disk: Disk,
  path: string,
): Promise<(() => Promise<void>) | null> {
  try {
    return await disk.lock(path);
  } catch (error) {
    // Mounted read-only, as the kernel does when a disk fails: no server writes to it.
    if (errorCode(error) === 'EROFS') return () => Promise.resolve();
    throw error;
  }
}
