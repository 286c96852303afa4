/** Finds the end of a segment that was not sealed yet and does not read back up to its end. */
import type { StoreFiles } from '../disk/store-files.js';
import { BatchScan, type ScannedBatch } from '../format/batch-scan.js';
import { type BatchHeader, batchEnd, batchLength } from '../format/record-batch.js';
import {
  type SegmentEnd,
  type SegmentOrigin,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type { Watermark } from '../manifest/watermarks.js';
import type { Offset } from '../offsets/offset.js';
import { headersIn, type ScannedSegment } from '../segment/segment-scan.js';
import type { UnprovenTail } from './rewrite-tail.js';

const chunkBytes = 1024 * 1024;

/** The segment as a scan has left it, and where it begins. */
export interface DamagedSegment {
  readonly scanned: ScannedSegment;
  readonly logTag: number;
  /** The end of the segment before it: it begins there if its own header is lost. */
  readonly before: Offset;
}

/** Where a segment is known to end. */
interface KnownEnd {
  readonly end: number;
  readonly nextOffset: Offset;
  readonly lastChecksum: number;
  /** Its last batch was appended at this time or before, Unix ms. */
  readonly appendedBy: number;
}

/**
 * The end of a segment that is followed by another, whose header says where it ended. Null if that
 * header is not intact, or says less than is proven: then nothing shows how much was acknowledged.
 */
export async function endByFollower(
  store: StoreFiles,
  damaged: DamagedSegment,
  follower: ScannedSegment,
  proven: number,
): Promise<SegmentEnd | null> {
  const { header } = follower;
  if (header === null || header.previousEnd < proven) return null;
  const known = {
    end: header.previousEnd,
    nextOffset: header.baseOffset,
    lastChecksum: header.chainSeed,
    appendedBy: header.createdAt,
  };
  return describe(damaged, known, await headersOf(store, damaged));
}

/**
 * The end of the part of a last segment that is proven to have been acknowledged: the bytes up to
 * `proven`. Its offsets end where an intact header of its last batch says, or a watermark of that
 * place, or else where the next intact batch begins: no offset below that is assigned again. Null
 * if there is none of these.
 */
export async function endByEvidence(
  store: StoreFiles & Pick<SegmentOrigin, 'now'>,
  damaged: DamagedSegment,
  proven: number,
  watermark: Watermark | null,
): Promise<SegmentEnd | null> {
  const headers = await headersOf(store, damaged);
  const last = headers.find((header) => batchEnd(header) === proven);
  const behind = headers.find(({ filePosition }) => filePosition >= proven);
  const { number } = damaged.scanned.segment;
  const isMarked = watermark?.segment === number && watermark.durablePosition === proven;
  const nextOffset =
    last?.nextOffset ?? (isMarked ? watermark.durableOffset : (behind?.baseOffset ?? null));
  if (nextOffset === null) return null;
  const next = behind?.filePosition === proven ? behind : null;
  const lastChecksum = next?.previousChecksum ?? last?.headerChecksum ?? 0;
  const appendedBy = last?.appendTime ?? behind?.appendTime ?? store.now();
  return describe(damaged, { end: proven, nextOffset, lastChecksum, appendedBy }, headers);
}

/** The intact batches that follow that end, one directly after another. */
export async function tailBehind(
  { disk, directory, openFiles }: StoreFiles,
  { scanned: { segment, size }, logTag }: DamagedSegment,
  { end: position, nextOffset }: SegmentEnd,
): Promise<UnprovenTail> {
  const { logId, number } = segment;
  const batches: ScannedBatch[] = [];
  const end = await openFiles.use(directory.segment(logId, number), async (file) => {
    const range = { position, limit: Math.max(size, position), logTag, chain: null, chunkBytes };
    const scan = new BatchScan({ disk, file, ...range });
    for (let found = await scan.next(); found.length > 0; found = await scan.next()) {
      batches.push(...found);
    }
    return scan.position;
  });
  // Batches with offsets that were assigned before do not belong here.
  const isNext = (batches[0]?.header.baseOffset ?? nextOffset) >= nextOffset;
  return isNext ? { number, batches, end, size } : { number, batches: [], end: position, size };
}

/** Every intact batch header of the segment at its place, whatever the state of its body. */
async function headersOf(
  { disk, directory, openFiles }: StoreFiles,
  { scanned: { segment, size }, logTag }: DamagedSegment,
): Promise<BatchHeader[]> {
  const { logId, number } = segment;
  const headers: BatchHeader[] = [];
  await openFiles.use(directory.segment(logId, number), async (file) => {
    const all = headersIn(disk, file, segmentHeaderLength, size, logTag);
    for await (const header of all) headers.push(header);
  });
  return headers;
}

/**
 * Describes the end. Counts cover the batches whose headers are intact. Times also cover batches
 * lost with their header, as far as known: those were appended by `appendedBy`.
 */
function describe(
  { scanned, before }: DamagedSegment,
  { appendedBy, ...known }: KnownEnd,
  headers: readonly BatchHeader[],
): SegmentEnd {
  const inside = headers.filter((header) => batchEnd(header) <= known.end);
  const covered = inside.reduce((sum, { bodyLength }) => sum + batchLength(bodyLength), 0);
  const areAllKnown = segmentHeaderLength + covered === known.end;
  const times = inside.map(({ maxTimestamp }) => maxTimestamp);
  return {
    ...known,
    baseOffset: Math.min(scanned.header?.baseOffset ?? before, known.nextOffset),
    batchCount: inside.length,
    recordCount: inside.reduce((sum, { recordCount }) => sum + recordCount, 0),
    maxTimestamp: (areAllKnown ? times : [...times, appendedBy]).reduce((one, two) =>
      Math.max(one, two),
    ),
    lastAppendTime: appendedBy,
  };
}
