/** The lock of a folder that is only read: it keeps servers out that would write. */
import { errorCode } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';

/** As `Disk.lock`; where no server can write, as all of it is read-only, none is kept out. */
export async function lockForReading(
  disk: Disk,
  path: string,
): Promise<(() => Promise<void>) | null> {
  try {
    return await disk.lock(path);
  } catch (error) {
    // What is mounted read-only, as a kernel does with a disk that fails, no server writes to.
    if (errorCode(error) === 'EROFS') return () => Promise.resolve();
    throw error;
  }
}
