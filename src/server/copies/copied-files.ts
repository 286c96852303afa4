/**
 * The files of a folder that are sent from one node to another, and those that an interrupted copy
 * has left: they need not be sent again (ADR 83).
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { readUpTo, withFile } from '../../../storage/disk/whole-file.js';
import { goesAlong, type HeldFile, heldFilesMax } from './copy-format.js';

/** How many bytes are read at a time. */
const chunkBytes = 256 * 1024;

/** Smaller files are sent again: that is quicker than asking. */
const heldBytesMin = 64 * 1024;

/** The paths within `folder` of all files to send; empty if there is no such folder. */
export async function filesIn(disk: Disk, folder: string): Promise<string[]> {
  const directory = new StoreDirectory(folder);
  const listed = (path: string): Promise<string[]> => disk.list(path).catch(() => []);
  const paths = [...(await listed(folder))];
  for (const log of await listed(directory.logs)) {
    const names = await listed(join(directory.logs, log));
    paths.push(...names.map((name) => `logs/${log}/${name}`));
  }
  paths.push(...(await listed(directory.snapshots)).map((name) => `snapshots/${name}`));
  return paths.filter(goesAlong);
}

/** The first `bytes` of a file, in chunks. Rejects if the file is shorter. */
export async function* chunksOf(disk: Disk, path: string, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += chunkBytes) {
    const length = Math.min(chunkBytes, bytes - at);
    const chunk = await withFile(disk, path, 'read', (file) => readUpTo(disk, file, at, length));
    if (chunk.length < length) throw new Error(`${path} has become shorter`);
    yield chunk;
  }
}

/** Whether the file at `path` is the same as the one that the other node holds. */
export async function isHeld(disk: Disk, path: string, held: HeldFile): Promise<boolean> {
  return (await disk.sizeAt(path)) === held.bytes && (await digestOf(disk, path)) === held.digest;
}

/**
 * The files of an earlier copy in `folder` that the next copy may leave out. Each is read once, and
 * again only after `forget`: there may be terabytes, and nodes are asked until one has time.
 */
export class HeldFiles {
  private readonly known = new Map<string, HeldFile>();

  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
  ) {}

  async list(): Promise<readonly HeldFile[]> {
    const { disk, folder, known } = this;
    const held: HeldFile[] = [];
    for (const path of await filesIn(disk, folder)) {
      const bytes = await disk.sizeAt(join(folder, path));
      if (bytes < heldBytesMin || held.length >= heldFilesMax) continue;
      const before = known.get(path);
      const file =
        before?.bytes === bytes
          ? before
          : { path, bytes, digest: await digestOf(disk, join(folder, path)) };
      known.set(path, file);
      held.push(file);
    }
    return held;
  }

  /** These files may have changed; without paths, all of them. */
  forget(paths: Iterable<string> = [...this.known.keys()]): void {
    for (const path of paths) this.known.delete(path);
  }
}

async function digestOf(disk: Disk, path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(disk, path, await disk.sizeAt(path))) hash.update(chunk);
  return hash.digest('hex');
}
