/** Sorts the segments of one log by offset, from everything that is left of them. */
import type { Disk } from '../disk/disk.js';
import { parseSegmentName, type StoreDirectory } from '../disk/store-directory.js';
import { errorCode } from '../faults/storage-errors.js';
import type { SegmentEnd } from '../format/segment-format.js';
import type { ManifestSegment } from '../manifest/manifest.js';
import { type Watermark, WatermarkFile } from '../manifest/watermarks.js';
import { ofDamaged } from './damaged-file.js';
import { type FoundSegment, knownEnd } from './known-end.js';

/**
 * Adds segments without a known end where their offsets belong: after all others, or in the place
 * of one whose file is gone. Those that another one covers were replaced by it, or replace it, and
 * are left out.
 */
export function withOpen(
  complete: readonly ManifestSegment[],
  open: readonly FoundSegment[],
  numbers: ReadonlySet<number>,
  watermark: Watermark | null,
): ManifestSegment[] {
  const present = complete.filter(({ number }) => numbers.has(number));
  const segments = [...present];
  for (const [place, found] of open.entries()) {
    const first = found.header?.baseOffset ?? found.batches[0]?.baseOffset ?? null;
    const before = segments.reduce((most, { end }) => {
      const next = end?.nextOffset ?? 0;
      return first === null || next <= first ? Math.max(most, next) : most;
    }, 0);
    const follower = open[place + 1]?.header ?? null;
    const end = knownEnd(found, before, watermark, follower);
    if (end === null || segments.some((other) => overlap(other, end))) continue;
    segments.push(
      numbers.has(found.number)
        ? { number: found.number, end, digest: null }
        : lost(found.number, end),
    );
  }
  for (const missing of complete) {
    if (numbers.has(missing.number) || missing.end === null) continue;
    const { end } = missing;
    if (!segments.some((other) => overlap(other, end))) segments.push(missing);
  }
  return segments.sort((one, two) => (one.end?.baseOffset ?? 0) - (two.end?.baseOffset ?? 0));
}

/**
 * An unsealed segment whose file is missing. It is listed as sealed, so that its loss counts as
 * damage of this segment only.
 */
export function lost(number: number, end: SegmentEnd): ManifestSegment {
  return { number, end, digest: '0'.repeat(64) };
}

function overlap(
  { end: one }: ManifestSegment,
  two: { readonly baseOffset: number; readonly nextOffset: number },
): boolean {
  return one !== null && one.baseOffset < two.nextOffset && two.baseOffset < one.nextOffset;
}

/** The numbers of the segment files that can be opened; none if a log has no directory. */
export async function numbersIn(
  disk: Disk,
  directory: StoreDirectory,
  logId: number,
): Promise<ReadonlySet<number>> {
  const names = await disk.list(directory.log(logId)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const segments = names.map(parseSegmentName).filter((each) => each?.kind === 'log');
  const numbers = new Set<number>();
  for (const { number } of segments.filter((each) => each !== null)) {
    const exists = await ofDamaged(disk, directory.segment(logId, number), false, async () => true);
    if (exists) numbers.add(number);
  }
  return numbers;
}

/** The watermark of a log; null if there is none that can be read. */
export async function watermarkOf(
  disk: Disk,
  directory: StoreDirectory,
  logId: number,
  logTag: number,
): Promise<Watermark | null> {
  return ofDamaged(disk, directory.watermarks, null, (file) =>
    new WatermarkFile(disk, file).read(logId, logTag),
  );
}
