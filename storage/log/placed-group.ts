/** A group gets its place in a segment: headers, checksums, the link to what stands before it. */
import { sealBatch } from '../format/record-batch.js';
import {
  encodeSegmentHeader,
  type SegmentOrigin,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type { Segment } from '../segment/segment.js';
import type { AppendGroup, AppendTimes } from './append-group.js';

/** The store that groups are placed in. */
export interface PlacingStore extends SegmentOrigin {
  readonly appendTimes: AppendTimes;
}

/** The log of the segment. */
interface PlacedLog {
  readonly id: number;
  readonly logTag: number;
  readonly segments: readonly Segment[];
}

interface Placed {
  readonly segment: Segment;
  readonly group: AppendGroup;
  /** Bytes of the segment that are on disk. */
  readonly durable: number;
}

/** Makes a group ready for the end of a segment; returns its bytes, and where they go. */
export function placeGroup(
  store: PlacingStore,
  log: PlacedLog,
  { segment, group, durable }: Placed,
): { readonly position: number; readonly bytes: Buffer } {
  const isFirst = segment.isEmpty;
  if (isFirst) begin(store, log, segment, group);
  sealBatches(store, log, { segment, group, durable });
  const { buffer, length } = group;
  if (isFirst) return { position: 0, bytes: buffer.subarray(0, length) };
  return { position: segment.end, bytes: buffer.subarray(segmentHeaderLength, length) };
}

function begin(
  store: PlacingStore,
  { id, segments }: PlacedLog,
  segment: Segment,
  group: AppendGroup,
): void {
  const before = segments[segments.indexOf(segment) - 1]?.link;
  const chainSeed = before?.lastChecksum ?? 0;
  segment.begin(group.baseOffset, chainSeed);
  encodeSegmentHeader(group.buffer, {
    storeId: store.storeId,
    logId: id,
    number: segment.number,
    baseOffset: group.baseOffset,
    chainSeed,
    previousEnd: before?.end ?? 0,
    createdAt: store.now(),
    epoch: store.epoch,
  });
}

function sealBatches(
  { epoch, appendTimes }: PlacingStore,
  { logTag }: PlacedLog,
  { segment, group, durable }: Placed,
): void {
  const place = {
    rewritten: false,
    epoch,
    filePosition: 0,
    durablePosition: durable,
    previousChecksum: segment.lastChecksum,
    logTag,
  };
  // Given here and not before: later than whatever the records of the group rely on.
  const appendTime = appendTimes.next();
  for (const batch of group.batches) {
    batch.appendTime = appendTime;
    place.filePosition = segment.end + batch.start - segmentHeaderLength;
    batch.headerChecksum = sealBatch(group.buffer, batch.start, batch, place);
    place.previousChecksum = batch.headerChecksum;
  }
}
