/** Removes a directory with everything in it. */
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';

/** Errors of systems if a name is a directory and not a file. */
const isDirectory: ReadonlySet<string> = new Set(['EISDIR', 'EPERM']);

/** Does nothing if there is no such directory; durable only after its parent is synced. */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  if (!(await disk.list(dirname(path))).includes(basename(path))) return;
  for (const name of await disk.list(path)) {
    const child = join(path, name);
    try {
      await disk.remove(child);
    } catch (error) {
      if (!isDirectory.has(errorCode(error))) throw error;
      await removeTree(disk, child);
    }
  }
  await disk.removeDirectory(path);
}
