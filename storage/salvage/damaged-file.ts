/** Reads the files of a store on a failing disk, of which some parts cannot be read. */
import { join } from 'node:path';
import type { Disk, FileHandle } from '../disk/disk.js';
import { parseSegmentName, type StoreDirectory } from '../disk/store-directory.js';
import { withFile } from '../disk/whole-file.js';
import { errorCode } from '../faults/storage-errors.js';
import type { ManifestState } from '../manifest/manifest.js';

/** The file is missing, or the disk cannot open it. */
const unopened: ReadonlySet<string> = new Set(['ENOENT', 'EIO']);

/** Returns the result of `use` for a file, or `otherwise` if the file cannot be opened. */
export async function ofDamaged<T>(
  disk: Disk,
  path: string,
  otherwise: T,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    return await withFile(disk, path, 'read', use);
  } catch (error) {
    if (!unopened.has(errorCode(error))) throw error;
    return otherwise;
  }
}

/** Describes the unreadable segment files that are not among those of `state`. */
export async function unreadBeside(
  disk: Disk,
  directory: StoreDirectory,
  { logs }: Pick<ManifestState, 'logs'>,
): Promise<string[]> {
  const unread: string[] = [];
  for (const { id, segments } of logs) {
    const known = new Set(segments.map(({ number }) => directory.segment(id, number)));
    for (const name of await disk.list(directory.log(id)).catch(() => [])) {
      const file = join(directory.log(id), name);
      const isSegment = parseSegmentName(name)?.kind === 'log' && !known.has(file);
      if (!isSegment || !(await isUnread(disk, file))) continue;
      unread.push(`${file}: the disk does not read it, and it may have held records`);
    }
  }
  return unread;
}

/** Whether a file exists but cannot be read, at least in part. */
export async function isUnread(disk: Disk, path: string): Promise<boolean> {
  const chunk = Buffer.alloc(1024 * 1024);
  try {
    await withFile(disk, path, 'read', async (file) => {
      for (let at = 0, read = 1; read > 0; at += read) read = await disk.read(file, chunk, at);
    });
    return false;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    if (errorCode(error) === 'EIO') return true;
    throw error;
  }
}
