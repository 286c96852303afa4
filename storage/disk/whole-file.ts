/** Reads and writes that do not stop half way: the loops that every user of the port needs. */
import type { Disk, FileHandle } from './disk.js';

/** Writes all of `source` at `position`, however many calls of `method` it takes. */
export async function writeFully(
  disk: Disk,
  file: FileHandle,
  source: Buffer,
  position: number,
  method: 'write' | 'writeSynced' = 'write',
): Promise<void> {
  let written = await disk[method](file, source, position);
  while (written < source.length) {
    const more = await disk[method](file, source.subarray(written), position + written);
    if (more === 0) throw new Error('a write made no progress');
    written += more;
  }
}

/** Up to `length` bytes at `position`; fewer only at the end of the file. */
export function readUpTo(
  disk: Disk,
  file: FileHandle,
  position: number,
  length: number,
): Promise<Buffer> {
  return readInto(disk, file, position, Buffer.allocUnsafeSlow(length));
}

/** The part of `target` that could be filled from `position` on. */
export async function readInto(
  disk: Disk,
  file: FileHandle,
  position: number,
  target: Buffer,
): Promise<Buffer> {
  let filled = 0;
  while (filled < target.length) {
    const read = await disk.read(file, target.subarray(filled), position + filled);
    if (read === 0) break;
    filled += read;
  }
  return target.subarray(0, filled);
}

const zeros = Buffer.alloc(1024 * 1024);

/** Whether [position, end) contains nothing but zeros. */
export async function isZero(
  disk: Disk,
  file: FileHandle,
  position: number,
  end: number,
): Promise<boolean> {
  for (let at = position; at < end; at += zeros.length) {
    const chunk = await readUpTo(disk, file, at, Math.min(zeros.length, end - at));
    if (!chunk.equals(zeros.subarray(0, chunk.length))) return false;
  }
  return true;
}

/** Runs `use` with the file open and closes it, whatever happens. */
export async function withFile<T>(
  disk: Disk,
  path: string,
  mode: 'create' | 'write' | 'read',
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, mode);
  try {
    return await use(file);
  } finally {
    await disk.close(file);
  }
}

/** The whole content of a file, which must be small. */
export function readWhole(disk: Disk, path: string): Promise<Buffer> {
  return withFile(disk, path, 'read', async (file) =>
    readUpTo(disk, file, 0, await disk.size(file)),
  );
}

/**
 * Puts `content` at `path` so that a crash leaves the old file or the new one, never a mixture: it
 * is written aside, synced and renamed. The new name is durable after `syncDirectory` of its
 * directory.
 */
export async function replaceFile(
  disk: Disk,
  aside: string,
  path: string,
  content: Buffer,
): Promise<void> {
  await writeAside(disk, aside, content);
  await disk.rename(aside, path);
}

/** Writes a new file, to which nothing refers yet, and syncs it. */
export async function writeAside(disk: Disk, path: string, content: Buffer): Promise<void> {
  await disk.remove(path).catch(() => undefined);
  await withFile(disk, path, 'create', async (file) => {
    await writeFully(disk, file, content, 0);
    await disk.sync(file);
  });
}
