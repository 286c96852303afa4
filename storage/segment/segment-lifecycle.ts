/** How a segment file is created and how it is finally sealed. */
import type { FileHandle } from '../disk/disk.js';
import type { FileSync } from '../disk/file-sync.js';
import type { OwnFile } from '../disk/open-files.js';
import { removeFreeing } from '../disk/remove-file.js';
import type { StoreFiles } from '../disk/store-files.js';
import { replaceFile, writeFully } from '../disk/whole-file.js';
import type { Fence } from '../faults/fence.js';
import { encodeSegmentFooter } from '../format/segment-format.js';
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import type { FillPace } from './fill-pace.js';
import { Segment } from './segment.js';
import { type DigestQuestion, digestOf, type SegmentDigests } from './segment-digest.js';

const chunkBytes = 1024 * 1024;

/** Hashing fewer bytes takes this thread less time than another thread takes to start. */
const askedBytesMin = 8 * 1024 * 1024;

/** The store in which a segment is created and sealed. */
export interface GrowingStore extends StoreFiles {
  /** A segment takes groups until it has this many bytes. */
  readonly segmentBytes: number;
  readonly fileSync: FileSync;
  readonly manifest: ManifestKeeper;
  readonly fence: Fence;
  /** Hashes segments that are finished. */
  readonly digests: SegmentDigests;
}

/**
 * Creates an empty segment of a log, listed in the manifest. If there is a `pace`, it is filled
 * with zeros: an append then overwrites, and the file system has no new size to journal (0.15 ms
 * for 4 KiB instead of 0.22). If there is no room (`lacksRoom`), nothing is left of it but its used
 * number.
 */
export async function allocateSegment(
  store: GrowingStore,
  logId: number,
  number: number,
  pace: FillPace | null,
): Promise<Segment> {
  const { disk, directory } = store;
  const aside = directory.asideFile(`segment-${logId}-${number}`);
  const path = directory.segment(logId, number);
  try {
    if (!hasSegments(store, logId)) {
      await disk.makeDirectory(directory.log(logId));
      await store.fileSync.mustSyncDirectory(directory.logs);
    }
    const file = await store.openFiles.openOwn(aside, 'create');
    try {
      if (pace !== null) await fillWithZeros(store, file, pace);
    } finally {
      await disk.close(file);
    }
    await disk.rename(aside, path);
    await store.fileSync.mustSyncDirectory(directory.log(logId));
    await store.manifest.edit({ type: 'segmentAdded', id: logId, number });
  } catch (error) {
    if (store.fence.lacksRoom(error)) await removeUnlisted(store, [aside, path]);
    throw error;
  }
  return new Segment(logId, number);
}

/** Whether the log has ever had a segment: its directory exists then. */
function hasSegments({ manifest }: GrowingStore, logId: number): boolean {
  return manifest.state.logs.some(({ id, nextNumber }) => id === logId && nextNumber > 0);
}

/** Removes files that no edit lists; the next start finds and removes any that stay. */
export async function removeUnlisted(
  { disk }: Pick<StoreFiles, 'disk'>,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) await removeFreeing(disk, path).catch(() => undefined);
}

/**
 * Durably gives a file the size of a segment, or less if the `pace` stops, so that appends to it
 * overwrite. With a pace each piece is synced by itself: otherwise appends would wait until all
 * pieces are on disk.
 */
export async function fillWithZeros(
  { disk, fileSync, segmentBytes }: Pick<GrowingStore, 'disk' | 'fileSync' | 'segmentBytes'>,
  file: FileHandle,
  pace: FillPace | null,
): Promise<void> {
  const zeros = Buffer.alloc(Math.min(chunkBytes, segmentBytes));
  for (let position = 0; position < segmentBytes; position += zeros.length) {
    const length = Math.min(zeros.length, segmentBytes - position);
    if (pace !== null && !(await pace.mayFill(position + length))) break;
    await writeFully(disk, file, zeros.subarray(0, length), position);
    if (pace !== null) await fileSync.sync(file);
  }
  await fileSync.sync(file);
}

/**
 * Cuts the file to its batches, adds the footer, writes the index file and then records that in the
 * manifest. Each step can be repeated: a crash between two of them needs no special treatment, and
 * neither does a step that finds no room (`lacksRoom`). `isLast`: no other segment waits for this
 * one, so another thread, which may be slower, may hash it.
 */
export async function sealSegment(
  store: GrowingStore,
  log: { readonly id: number; readonly logTag: number },
  segment: Segment,
  own: OwnFile,
  isLast: boolean,
): Promise<void> {
  const { disk } = store;
  const end = segment.toEnd();
  const digest = await own.use(async (file) => {
    // The file may be shorter than its batches if it was damaged.
    await disk.truncate(file, end.end);
    const path = store.directory.segment(log.id, segment.number);
    const isAsked = isLast && end.end >= askedBytesMin;
    const asked = isAsked ? await askedDigest(store, { path, end: end.end }) : null;
    const hash = asked ?? (await digestOf(disk, file, end.end));
    await writeFully(disk, file, encodeSegmentFooter(end, hash), end.end);
    await store.fileSync.mustSync(file);
    return hash;
  });
  await own.close(disk);
  await writeIndexFile(store, log, segment);
  await store.manifest.edit({
    type: 'segmentSealed',
    id: log.id,
    number: segment.number,
    end,
    digest: digest.toString('hex'),
  });
  segment.isSealed = true;
  // From now on readers find the terms in the file: the index of a sealed segment is not kept.
  segment.index = null;
}

/** Null if the other thread fails: this one then finds out why, or succeeds. */
function askedDigest({ digests }: GrowingStore, question: DigestQuestion): Promise<Buffer | null> {
  return digests.digest(question).then(
    (digest) => Buffer.from(digest),
    () => null,
  );
}

/** Writes a segment's index to its file, unless it is stored already or not in memory. */
export async function writeIndexFile(
  store: GrowingStore,
  log: { readonly id: number; readonly logTag: number },
  segment: Segment,
): Promise<void> {
  const { disk, directory } = store;
  const { number, index } = segment;
  if (index === null || index.isStored) return;
  const bytes = index.encode({ logTag: log.logTag, number, segment });
  const aside = directory.asideFile(`index-${log.id}-${number}`);
  try {
    await replaceFile(disk, aside, directory.index(log.id, number), bytes);
  } catch (error) {
    if (store.fence.lacksRoom(error)) await removeUnlisted(store, [aside]);
    throw error;
  }
  await store.fileSync.mustSyncDirectory(directory.log(log.id));
}
