/** Reads groups that exist only in the write-ahead log as if they were in their segment files. */
import type { Disk, FileHandle } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { readInto } from '../disk/whole-file.js';
import type { WalPart } from '../wal/wal-format.js';

/** The groups of one segment file. */
interface FileGroups {
  readonly groups: WalPart[];
  /** Where the last group ends. */
  end: number;
}

/**
 * The same disk, except that reads of segments return the groups in their places, even beyond the
 * end of the file. A place in a segment never gets other bytes, so the bytes of the groups are
 * right.
 */
export function withGroups(
  disk: Disk,
  directory: StoreDirectory,
  groups: readonly WalPart[],
): Disk {
  if (groups.length === 0) return disk;
  const byPath = groupedByPath(directory, groups);
  const opened = new Map<FileHandle, FileGroups>();
  const own: Pick<Disk, 'open' | 'close' | 'size' | 'read'> = {
    async open(path, mode) {
      const file = await disk.open(path, mode);
      const ahead = byPath.get(path);
      if (ahead !== undefined) opened.set(file, ahead);
      return file;
    },
    close(file) {
      opened.delete(file);
      return disk.close(file);
    },
    async size(file) {
      return Math.max(await disk.size(file), opened.get(file)?.end ?? 0);
    },
    async read(file, target, position) {
      const ahead = opened.get(file);
      if (ahead === undefined) return disk.read(file, target, position);
      const read = (await readInto(disk, file, position, target)).length;
      const length = Math.max(read, Math.min(target.length, ahead.end - position));
      target.fill(0, read, length);
      copyInto(target.subarray(0, length), position, ahead.groups);
      return length;
    },
  };
  const isOwn = (name: keyof Disk): name is keyof typeof own => name in own;
  // A disk may be an instance of a class, whose methods a spread would lose.
  return new Proxy(disk, {
    get: (all, name: keyof Disk) => (isOwn(name) ? own[name] : all[name].bind(all)),
  });
}

function groupedByPath(
  directory: StoreDirectory,
  groups: readonly WalPart[],
): ReadonlyMap<string, FileGroups> {
  const byPath = new Map<string, FileGroups>();
  for (const group of groups) {
    const path = directory.segment(group.logId, group.number);
    const ahead = byPath.get(path) ?? { groups: [], end: 0 };
    ahead.groups.push(group);
    ahead.end = Math.max(ahead.end, group.position + group.bytes.length);
    byPath.set(path, ahead);
  }
  return byPath;
}

/** `target` holds the bytes of a file from `position` on. */
function copyInto(target: Buffer, position: number, groups: readonly WalPart[]): void {
  for (const group of groups) {
    const from = Math.max(position, group.position);
    const until = Math.min(position + target.length, group.position + group.bytes.length);
    if (from >= until) continue;
    group.bytes.copy(target, from - position, from - group.position, until - group.position);
  }
}
