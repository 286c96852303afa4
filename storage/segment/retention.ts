/** Which segments a log may let go of, and letting go of them. */
import { errorCode } from '../faults/storage-errors.js';
import type { Offset } from '../offsets/offset.js';
import type { StoreContext } from '../store-context.js';
import type { Segment } from './segment.js';

/**
 * The whole sealed segments in front of `offset`. Example: segments [0, 10) [10, 25) [25, ...) and
 * offset 25 give the first two, offset 24 the first one.
 */
export function segmentsBelow(segments: readonly Segment[], offset: Offset): Segment[] {
  const kept = segments.findIndex(({ isSealed, nextOffset }) => !isSealed || nextOffset > offset);
  return segments.slice(0, kept < 0 ? segments.length : kept);
}

/** Takes the first segments, which are `gone`, out of the manifest, `segments` and the disk. */
export async function removeSegments(
  context: StoreContext,
  logId: number,
  segments: Segment[],
  gone: readonly Segment[],
): Promise<void> {
  const last = gone.at(-1);
  if (last === undefined) return;
  await context.edit({ type: 'trimmed', id: logId, startOffset: last.nextOffset });
  segments.splice(0, gone.length);
  await removeSegmentFiles(context, logId, gone);
}

/** Removes the files of segments that the manifest does not list any more. */
export async function removeSegmentFiles(
  context: StoreContext,
  logId: number,
  gone: readonly Segment[],
): Promise<void> {
  const { disk, directory, openFiles, indexes } = context;
  try {
    for (const { number } of gone) {
      const index = directory.index(logId, number);
      await openFiles.forget(directory.segment(logId, number));
      await openFiles.forget(index);
      indexes.delete(index);
      await disk.remove(directory.segment(logId, number)).catch((error: unknown) => {
        // Gone without us: that was damage, and this is how it heals.
        if (errorCode(error) !== 'ENOENT') throw error;
      });
      await disk.remove(index).catch(() => undefined);
    }
    await disk.syncDirectory(directory.log(logId));
  } catch (error) {
    throw context.fail(`removing segments of log ${logId}`, error);
  }
}
