/** Copies sealed segments out of the data folder before records are removed from them. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import type { StoreFiles } from '../disk/store-files.js';
import { readUpTo, withFile, writeFully } from '../disk/whole-file.js';
import { messageOf } from '../faults/storage-errors.js';
import {
  decodeSegmentFooter,
  type SegmentOrigin,
  segmentFooterLength,
} from '../format/segment-format.js';
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';

/** The event loop gets its turn between chunks of this size. */
const chunkBytes = 256 * 1024;

/** The store whose segments are copied. */
export interface ArchivedStore extends StoreFiles, SegmentOrigin {
  readonly manifest: Pick<ManifestKeeper, 'state'>;
}

/** Where the copies are written. */
export interface ArchiveOptions {
  /** Must exist. Copies are in a folder within it, named by the id of the store. */
  readonly folder: string;
  /** The disk of the folder; absent: that of the store. */
  readonly disk?: Disk;
  /** Segments below this were copied before, and may have been moved since. */
  readonly from: Offset;
  /** Part of the names of unfinished copies: each process that writes to one folder has its own. */
  readonly writer?: string;
}

/** A segment has no verified copy, so nothing was removed from it. */
export class NotArchived extends Error {
  override readonly name = 'NotArchived';

  constructor(file: string, copy: string, reason: unknown) {
    super(`${file} was not copied to ${copy}: ${messageOf(reason)}`);
  }
}

/** The name of a copy, with the offsets [from, until) of its segment, so that names sort. */
function archiveName(logId: number, from: Offset, until: Offset): string {
  const padded = (offset: Offset) => String(offset).padStart(16, '0');
  return `${logId}-${padded(from)}-${padded(until)}.log`;
}

/**
 * Copies sealed segments, oldest first, each as a whole file: written under another name, synced,
 * read back, compared with the digest of its sealing, and renamed. So a file of this name is
 * complete wherever a crash ends the work. An existing file is only read, and replaced if it has
 * fewer records: it may come from another store of this id. Returns how many bytes were written;
 * throws `NotArchived`, or what `throwIfStopped` throws when the work must end.
 */
export async function archiveSegments(
  store: ArchivedStore,
  logId: number,
  segments: readonly Segment[],
  { folder, from, writer, disk = store.disk }: ArchiveOptions,
  throwIfStopped: () => void,
): Promise<number> {
  const due = segments.filter(({ nextOffset }) => nextOffset > from);
  const listed = store.manifest.state.logs.find(({ id }) => id === logId)?.segments ?? [];
  const sealed = new Map(listed.map(({ number, digest }) => [number, digest]));
  const target = join(folder, store.storeId.toString('hex'));
  let bytes = 0;
  for (const { number, baseOffset, nextOffset, end, recordCount } of due) {
    const file = store.directory.segment(logId, number);
    const path = join(target, archiveName(logId, baseOffset, nextOffset));
    const aside = writer === undefined ? `${path}.partial` : `${path}.${writer}.partial`;
    try {
      await makeFolder(disk, target);
      const copy = { file, path, aside, end, recordCount, digest: sealed.get(number) };
      bytes += await archive(store.disk, disk, copy, throwIfStopped);
    } catch (error) {
      throwIfStopped();
      throw new NotArchived(file, path, error);
    }
  }
  return bytes;
}

async function makeFolder(disk: Disk, path: string): Promise<void> {
  if ((await disk.list(dirname(path))).includes(basename(path))) return;
  await disk.makeDirectory(path);
  await disk.syncDirectory(dirname(path));
}

/** One segment to copy. */
interface Copy {
  readonly file: string;
  readonly path: string;
  /** The name of the copy until it is complete. */
  readonly aside: string;
  /** Where the batches of the segment end and its footer begins. */
  readonly end: number;
  readonly recordCount: number;
  /** The digest in the manifest. */
  readonly digest: string | null | undefined;
}

/** Copies from the disk `from` to the disk `disk`. */
async function archive(
  from: Disk,
  disk: Disk,
  copy: Copy,
  throwIfStopped: () => void,
): Promise<number> {
  const { file, path, aside, end, digest } = copy;
  const exists = (await disk.list(dirname(path))).includes(basename(path));
  if (exists && (await recordsIn(disk, path, throwIfStopped)) >= copy.recordCount) return 0;
  const length = end + segmentFooterLength;
  await disk.remove(aside).catch(() => undefined);
  await withFile(from, file, 'read', (source) =>
    withFile(disk, aside, 'create', async (target) => {
      for (let position = 0; position < length; position += chunkBytes) {
        throwIfStopped();
        const asked = Math.min(chunkBytes, length - position);
        const chunk = await readUpTo(from, source, position, asked);
        if (chunk.length < asked) throw new Error('the segment is shorter than it was');
        await writeFully(disk, target, chunk, position);
      }
      await disk.sync(target);
    }),
  );
  if ((await digestAt(disk, aside, end, throwIfStopped)) !== digest) {
    throw new Error('the copy is not what the segment was sealed as');
  }
  await disk.rename(aside, path);
  await disk.syncDirectory(dirname(path));
  return length;
}

/** How many records a copy has, whichever store made it; -1 = it does not match its footer. */
async function recordsIn(disk: Disk, path: string, throwIfStopped: () => void): Promise<number> {
  const end = (await disk.sizeAt(path)) - segmentFooterLength;
  if (end < 0) return -1;
  const bytes = await withFile(disk, path, 'read', (file) =>
    readUpTo(disk, file, end, segmentFooterLength),
  );
  const footer = decodeSegmentFooter(bytes);
  if (footer === null || footer.end.end !== end) return -1;
  const isIntact = (await digestAt(disk, path, end, throwIfStopped)) === footer.digest;
  return isIntact ? footer.end.recordCount : -1;
}

/** The SHA-256 of the first `end` bytes, hex; of fewer, if the file is shorter. */
async function digestAt(
  disk: Disk,
  path: string,
  end: number,
  throwIfStopped: () => void,
): Promise<string> {
  const hash = createHash('sha256');
  await withFile(disk, path, 'read', async (file) => {
    for (let position = 0; position < end; position += chunkBytes) {
      throwIfStopped();
      hash.update(await readUpTo(disk, file, position, Math.min(chunkBytes, end - position)));
    }
  });
  return hash.digest('hex');
}
