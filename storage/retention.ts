/** Which segments a log may let go of, and letting go of them. */
import type { ManifestState } from './manifest.js';
import type { Offset } from './offset.js';
import type { Segment } from './segment.js';
import type { StoreContext } from './store-context.js';

/**
 * The whole sealed segments in front of `offset`. Example: segments [0, 10) [10, 25) [25, ...) and
 * offset 25 give the first two, offset 24 the first one.
 */
export function segmentsBelow(
  manifest: ManifestState,
  logId: number,
  segments: readonly Segment[],
  offset: Offset,
): Segment[] {
  const log = manifest.logs.find(({ id }) => id === logId);
  const sealed = new Set(log?.segments.filter((s) => s.digest !== null).map((s) => s.number));
  const kept = segments.findIndex((s) => !sealed.has(s.number) || s.nextOffset > offset);
  return segments.slice(0, kept < 0 ? segments.length : kept);
}

/** Takes the first `count` segments out of the manifest, out of `segments`, then off the disk. */
export async function removeSegments(
  context: StoreContext,
  logId: number,
  segments: Segment[],
  count: number,
): Promise<void> {
  const { disk, directory, openFiles, indexes } = context;
  const gone = segments.slice(0, count);
  const last = gone.at(-1);
  if (last === undefined) return;
  const first = segments[count]?.number ?? last.number + 1;
  await context.edit({ type: 'trimmed', id: logId, startOffset: last.nextOffset, first });
  segments.splice(0, count);
  try {
    for (const { number } of gone) {
      const index = directory.index(logId, number);
      await openFiles.forget(directory.segment(logId, number));
      await openFiles.forget(index);
      indexes.delete(index);
      await disk.remove(directory.segment(logId, number));
      await disk.remove(index).catch(() => undefined);
    }
    await disk.syncDirectory(directory.log(logId));
  } catch (error) {
    throw context.fail(`removing segments of log ${logId}`, error);
  }
}
