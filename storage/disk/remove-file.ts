/** Removes a file on a file system that is so full that even a removal may fail. */
import { isNoSpace } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';
import { withFile } from './whole-file.js';

/**
 * Removes a file that nothing needs. One that copies on write (Btrfs, ZFS) needs some room to
 * change a directory, and may refuse that at its quota. Then the file is truncated first, unless a
 * copy of the folder shares its bytes under another name. Rejects like `Disk.remove` if that does
 * not help either.
 */
export async function removeFreeing(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (error) {
    if (!isNoSpace(error) || (await disk.hasOtherNames(path))) throw error;
    await withFile(disk, path, 'write', (file) => disk.truncate(file, 0)).catch(() => undefined);
    await disk.remove(path);
  }
}
