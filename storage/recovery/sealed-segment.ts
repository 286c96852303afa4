/** Opens a sealed segment: checks its size and footer; its batches are checked when read. */
import type { Disk, FileHandle } from '../disk/disk.js';
import { readUpTo } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import {
  encodeSegmentFooter,
  type SegmentEnd,
  segmentFooterLength,
} from '../format/segment-format.js';
import type { ManifestLog, ManifestSegment } from '../manifest/manifest.js';
import { Segment } from '../segment/segment.js';
import { type IsolatingStore, isolateDamage, unreadReason } from '../segment/segment-damage.js';
import type { LogFiles } from './log-files.js';

/** A sealed segment as listed in the manifest. */
export interface SealedSegment extends ManifestSegment {
  readonly end: SegmentEnd;
  readonly digest: string;
}

/** The log of the segment, as far as it was opened. */
export interface OpeningLog {
  readonly log: ManifestLog;
  readonly logTag: number;
  readonly files: LogFiles;
  /** The segments before it. */
  readonly segments: readonly Segment[];
}

/**
 * Throws `DamagedData` if the segment is not what the manifest says, or the disk's error if it
 * cannot be read. In a log that isolates damage, the readable parts are searched instead, and the
 * damage is reported (`onDamage`).
 */
export async function openSealed(
  store: IsolatingStore,
  opening: OpeningLog,
  entry: SealedSegment,
): Promise<Segment> {
  const { log, files } = opening;
  const segment = Segment.listed(log.id, entry, entry.end);
  segment.isSealed = true;
  const damage = await files
    .read(segment, (file) => footerFault(store.disk, file, entry))
    .then((fault) =>
      fault === null ? null : files.damaged(segment, segment.nextOffset - 1, fault),
    )
    .catch((error: unknown) => {
      if (error instanceof DamagedData) return error;
      if (errorCode(error) !== 'EIO' || !store.isolatesDamage(log.name)) throw error;
      return files.damaged(segment, segment.nextOffset - 1, unreadReason);
    });
  if (damage !== null) await isolateDamage(store, opening, segment, damage);
  return segment;
}

/** Why a file does not end as it was sealed; null if it does. */
export async function footerFault(
  disk: Disk,
  file: FileHandle,
  { end, digest }: SealedSegment,
): Promise<string | null> {
  if ((await disk.size(file)) !== end.end + segmentFooterLength) {
    return 'the size is not what the manifest says';
  }
  const footer = await readUpTo(disk, file, end.end, segmentFooterLength);
  const isIntact = footer.equals(encodeSegmentFooter(end, Buffer.from(digest, 'hex')));
  return isIntact ? null : 'the footer is not intact';
}
