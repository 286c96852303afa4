/** Which segments a log may remove, and removing them. */
import { basename, join } from 'node:path';
import { removeFreeing } from '../disk/remove-file.js';
import type { StoreFiles } from '../disk/store-files.js';
import type { Fence } from '../faults/fence.js';
import { errorCode } from '../faults/storage-errors.js';
import type { IndexCache } from '../index/index-cache.js';
import type { ManifestKeeper } from '../manifest/manifest-keeper.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from './segment.js';

/** The store from which segments are removed. */
export interface ShrinkingStore extends StoreFiles {
  readonly indexes: IndexCache;
  readonly manifest: ManifestKeeper;
  readonly fence: Fence;
}

/**
 * The whole sealed segments below `offset`. Example: with segments [0, 10) [10, 25) [25, ...),
 * offset 25 gives the first two, and offset 24 the first one.
 */
export function segmentsBelow(segments: readonly Segment[], offset: Offset): Segment[] {
  const kept = segments.findIndex(({ isSealed, nextOffset }) => !isSealed || nextOffset > offset);
  return segments.slice(0, kept < 0 ? segments.length : kept);
}

/** Removes `gone`, the first of the segments, from the manifest, from `segments` and from disk. */
export async function removeSegments(
  store: ShrinkingStore,
  logId: number,
  segments: Segment[],
  gone: readonly Segment[],
): Promise<void> {
  const last = gone.at(-1);
  if (last === undefined) return;
  await store.manifest.edit({ type: 'trimmed', id: logId, startOffset: last.nextOffset });
  segments.splice(0, gone.length);
  await removeSegmentFiles(store, logId, gone);
}

/**
 * Removes the files of segments that the manifest no longer lists. Files that cannot be removed for
 * lack of room are left to the next start.
 */
export async function removeSegmentFiles(
  store: ShrinkingStore,
  logId: number,
  gone: readonly Segment[],
): Promise<void> {
  const { disk, directory, openFiles, indexes, fence } = store;
  try {
    for (const { number } of gone) {
      const index = directory.index(logId, number);
      await openFiles.forget(directory.segment(logId, number));
      await openFiles.forget(index);
      indexes.delete(index);
      await removeFreeing(disk, directory.segment(logId, number)).catch((error: unknown) => {
        // Already gone: that was damage, and this removal heals it.
        if (errorCode(error) !== 'ENOENT' && !fence.lacksRoom(error)) throw error;
      });
      await removeFreeing(disk, index).catch(() => undefined);
      await removeFreeing(disk, directory.pruned(logId, number)).catch(() => undefined);
    }
    await disk.syncDirectory(directory.log(logId));
  } catch (error) {
    throw fence.fail(`removing segments of log ${logId}`, error);
  }
}

/** Removes the files of a dropped log; can be repeated. */
export async function removeLogFiles(
  { disk, directory }: Pick<StoreFiles, 'disk' | 'directory'>,
  logId: number,
): Promise<void> {
  const path = directory.log(logId);
  if (!(await disk.list(directory.logs)).includes(basename(path))) return;
  for (const name of await disk.list(path)) await removeFreeing(disk, join(path, name));
  await disk.syncDirectory(path);
  await disk.removeDirectory(path);
  await disk.syncDirectory(directory.logs);
}
