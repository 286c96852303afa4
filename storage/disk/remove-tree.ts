/** Removes a directory with all that is in it. */
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../faults/storage-errors.js';
import type { Disk } from './disk.js';

/** How systems say that a name is a directory and no file. */
const isDirectory: ReadonlySet<string> = new Set(['EISDIR', 'EPERM']);

/** Nothing where there is none; not durable before its parent is synced. */
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
