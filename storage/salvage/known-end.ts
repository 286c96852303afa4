/** Finds where an unsealed segment ended, from everything that is left to show it. */
import type { Disk } from '../disk/disk.js';
import { readUpTo } from '../disk/whole-file.js';
import {
  type BatchHeader,
  batchEnd,
  batchHeaderLength,
  batchLength,
  bodyFault,
} from '../format/record-batch.js';
import {
  decodeSegmentHeader,
  type SegmentEnd,
  type SegmentHeader,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type { Watermark } from '../manifest/watermarks.js';
import { headersIn } from '../segment/segment-scan.js';
import { ofDamaged } from './damaged-file.js';

/** A segment file as it was found. */
export interface FoundSegment {
  readonly number: number;
  readonly header: SegmentHeader | null;
  /** The headers of its batches, at their places; the bodies may be damaged. */
  readonly batches: readonly BatchHeader[];
  /** How much of the file was fdatasynced according to the batches. */
  readonly proven: number;
}

/**
 * Reads the headers in a file; the last batches count only if they are complete or proven. A file
 * that is missing or cannot be opened has none.
 */
export async function findSegment(
  disk: Disk,
  path: string,
  number: number,
  logTag: number,
): Promise<FoundSegment> {
  const nothing = { number, header: null, batches: [], proven: 0 };
  return ofDamaged<FoundSegment>(disk, path, nothing, async (file) => {
    const header = decodeSegmentHeader(await readUpTo(disk, file, 0, segmentHeaderLength));
    const size = await disk.size(file);
    const batches: BatchHeader[] = [];
    for await (const found of headersIn(disk, file, segmentHeaderLength, size, logTag)) {
      if (found.baseOffset >= (batches.at(-1)?.nextOffset ?? 0)) batches.push(found);
    }
    const proven = batches.reduce((most, each) => Math.max(most, each.durablePosition), 0);
    for (let last = batches.at(-1); last !== undefined; last = batches.at(-1)) {
      if (batchEnd(last) <= proven) break;
      const bytes = await readUpTo(disk, file, last.filePosition, batchLength(last.bodyLength));
      const isWhole = bytes.length >= batchHeaderLength + last.bodyLength;
      if (isWhole && bodyFault(bytes, batchHeaderLength, last) === null) break;
      batches.pop();
    }
    return { number, header, batches, proven };
  });
}

/**
 * The end to record for it; null if nothing shows that it held anything. Everything beyond its
 * batches that the watermark, or the header of the next segment, covers was acknowledged.
 */
export function knownEnd(
  { number, header, batches }: FoundSegment,
  before: number,
  watermark: Watermark | null,
  follower: SegmentHeader | null,
): SegmentEnd | null {
  const last = batches.at(-1);
  let known = {
    end: last === undefined ? 0 : batchEnd(last),
    nextOffset: last?.nextOffset ?? 0,
    lastChecksum: last?.headerChecksum ?? 0,
  };
  if (watermark?.segment === number && watermark.durablePosition > known.end) {
    const { durablePosition: end, durableOffset: nextOffset } = watermark;
    known = { end, nextOffset, lastChecksum: 0 };
  }
  if (follower !== null && follower.previousEnd > known.end) {
    const { previousEnd: end, baseOffset: nextOffset, chainSeed: lastChecksum } = follower;
    known = { end, nextOffset, lastChecksum };
  }
  const baseOffset = Math.max(before, header?.baseOffset ?? batches[0]?.baseOffset ?? before);
  if (known.end <= segmentHeaderLength || known.nextOffset <= baseOffset) return null;
  const times = batches.map(({ maxTimestamp }) => maxTimestamp);
  return {
    ...known,
    baseOffset,
    batchCount: batches.length,
    recordCount: batches.reduce((sum, { recordCount }) => sum + recordCount, 0),
    maxTimestamp: times.reduce((one, two) => Math.max(one, two), 0),
    lastAppendTime: last?.appendTime ?? 0,
  };
}
