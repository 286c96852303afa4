/** Opens the archived copies of a log's segments for reading. */
import { basename, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { readUpTo, withFile } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import {
  decodeSegmentFooter,
  decodeSegmentHeader,
  type SegmentEnd,
  segmentFooterLength,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type { Offset } from '../offsets/offset.js';

/** A copy that is read from `from` on; another copy has the records before that. */
export interface ArchivedSegment {
  readonly path: string;
  readonly from: Offset;
  readonly end: SegmentEnd;
}

/** The folder contains no copy of a segment of the log. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
}

/**
 * The copies that together cover most of a log, oldest first, without overlap. `folder` is the
 * archive, which contains a folder named by the store's id, or the folder of the files themselves,
 * which may have been moved. Throws `NoArchive`, or `DamagedData` if a file is not what its name
 * says.
 */
export async function archivedSegments(
  disk: Disk,
  folder: string,
  storeId: Buffer,
  logId: number,
): Promise<readonly ArchivedSegment[]> {
  const own = join(folder, storeId.toString('hex'));
  const copies = [...(await copiesIn(disk, own, logId)), ...(await copiesIn(disk, folder, logId))];
  if (copies.length === 0) throw new NoArchive(`${folder} has no archived part of this journal`);
  const chosen: ArchivedSegment[] = [];
  for (let at = 0; ; ) {
    // A segment merged later lacks what was swept before: shorter copies are older, and preferred.
    const [copy] = copies
      .filter(({ until }) => until > at)
      .sort((one, two) => Math.max(one.from, at) - Math.max(two.from, at) || one.until - two.until);
    if (copy === undefined) return chosen;
    const end = await openCopy(disk, copy, storeId, logId);
    chosen.push({ path: copy.path, from: Math.max(at, copy.from), end });
    at = copy.until;
  }
}

/** A copy according to its name (`archiveName`). */
interface NamedCopy {
  readonly path: string;
  readonly from: Offset;
  readonly until: Offset;
}

async function copiesIn(disk: Disk, folder: string, logId: number): Promise<NamedCopy[]> {
  const names = await disk.list(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => {
    const [, id, from, until] = /^(\d+)-(\d{16})-(\d{16})\.log$/.exec(name) ?? [];
    if (id === undefined || Number(id) !== logId) return [];
    return [{ path: join(folder, name), from: Number(from), until: Number(until) }];
  });
}

function openCopy(
  disk: Disk,
  { path, from, until }: NamedCopy,
  storeId: Buffer,
  logId: number,
): Promise<SegmentEnd> {
  return withFile(disk, path, 'read', async (file) => {
    const size = await disk.size(file);
    const header = decodeSegmentHeader(await readUpTo(disk, file, 0, segmentHeaderLength));
    const footerStart = Math.max(size - segmentFooterLength, 0);
    const footer = decodeSegmentFooter(await readUpTo(disk, file, footerStart, size - footerStart));
    const damaged = (reason: string) =>
      new DamagedData({ file: path, from: 0, to: size, lastGoodOffset: null }, reason);
    if (header === null) throw damaged('no intact segment header');
    if (!header.storeId.equals(storeId) || header.logId !== logId) {
      throw damaged('the file belongs to another log or store');
    }
    if (footer === null || footer.end.end !== footerStart) throw damaged('no intact footer');
    const { baseOffset, nextOffset } = footer.end;
    if (baseOffset !== from || nextOffset !== until) {
      throw damaged(`it holds ${baseOffset} to ${nextOffset}, not what ${basename(path)} says`);
    }
    return footer.end;
  });
}
