/** Reads one segment file from first byte to last and compares it with everything known of it. */
import type { FileHandle } from '../disk/disk.js';
import type { StoreFiles } from '../disk/store-files.js';
import { readUpTo, readWhole } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { BatchScan } from '../format/batch-scan.js';
import {
  decodeSegmentHeader,
  headerFault,
  type SegmentHeader,
  segmentHeaderLength,
} from '../format/segment-format.js';
import { addRecordTerms } from '../index/record-terms.js';
import { SegmentIndex } from '../index/segment-index.js';
import { footerFault } from '../recovery/sealed-segment.js';
import { Segment } from '../segment/segment.js';
import { unreadReason } from '../segment/segment-damage.js';
import { digestOf } from '../segment/segment-digest.js';

/** Small, so that a server that scrubs does other work in between. */
const chunkBytes = 256 * 1024;

/** The store whose segments are verified. */
export interface VerifiedStore extends StoreFiles {
  readonly storeId: Buffer;
}

/** What a segment is compared with. */
export interface ExpectedSegment {
  readonly logId: number;
  readonly logTag: number;
  /** As the manifest, or recovery, describes it. */
  readonly segment: Segment;
  /** The segment before it, if that still exists. */
  readonly before: Segment | null;
  /** SHA-256, hex; null for a segment that is not sealed. */
  readonly digest: string | null;
  /** Whether it was left with an index file that fits. */
  readonly isIndexed: boolean;
}

/**
 * Throws `DamagedData` for the first thing that does not match; returns whether it had an index.
 * Reports after every chunk how many bytes it has read.
 */
export async function verifySegment(
  store: VerifiedStore,
  expected: ExpectedSegment,
  progressed: (bytes: number) => void,
): Promise<boolean> {
  const { logId, segment } = expected;
  const index = expected.isIndexed ? await readIndex(store, expected) : null;
  const path = store.directory.segment(logId, segment.number);
  const read = new Segment(logId, segment.number);
  try {
    await store.openFiles.use(path, (file) =>
      verifyFile(store, expected, file, { read, index, progressed }),
    );
  } catch (error) {
    if (errorCode(error) === 'EIO') throw damaged(store, expected, read, unreadReason);
    throw error;
  }
  return index !== null;
}

/** What surrounds the batches in the file, and the callback for progress. */
interface Surroundings {
  /** The part that was intact so far; empty at first. */
  readonly read: Segment;
  readonly index: SegmentIndex | null;
  progressed(bytes: number): void;
}

async function verifyFile(
  store: VerifiedStore,
  expected: ExpectedSegment,
  file: FileHandle,
  surroundings: Surroundings,
): Promise<void> {
  const header = decodeSegmentHeader(await readUpTo(store.disk, file, 0, segmentHeaderLength));
  const { logId, segment, before, digest } = expected;
  const place = { logId, number: segment.number, before };
  const reason = headerFault(store.storeId, place, header);
  if (header === null || reason !== null) {
    throw damaged(store, expected, surroundings.read, reason ?? 'no header');
  }
  await verifyBatches(store, expected, file, header, surroundings);
  if (digest === null) return;
  const end = segment.toEnd();
  const fault = await footerFault(store.disk, file, { number: segment.number, end, digest });
  if (fault !== null) throw damaged(store, expected, segment, fault);
  if ((await digestOf(store.disk, file, segment.end)).toString('hex') === digest) return;
  throw damaged(store, expected, segment, 'the SHA-256 it was sealed with differs');
}

async function verifyBatches(
  store: VerifiedStore,
  expected: ExpectedSegment,
  file: FileHandle,
  header: SegmentHeader,
  { read, index, progressed }: Surroundings,
): Promise<void> {
  const { logTag, segment } = expected;
  const scan = new BatchScan({
    disk: store.disk,
    file,
    position: segmentHeaderLength,
    limit: segment.end,
    logTag,
    chain: header.chainSeed,
    chunkBytes,
  });
  // The index as it would be if it were built now; the stored one is compared with all of it at
  // once.
  const made = index === null ? null : new SegmentIndex();
  read.index = made;
  read.begin(header.baseOffset, header.chainSeed);
  let reported = 0;
  for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
    for (const { header: batch, body } of batches) {
      read.add(batch);
      if (made !== null) addRecordTerms(made, body, batch.baseOffset, segment.baseOffset);
    }
    progressed(read.end - reported);
    reported = read.end;
  }
  if (read.end < segment.end) {
    throw damaged(store, expected, read, scan.fault ?? 'the data ends too early');
  }
  const { lastAppendTime = read.lastAppendTime, ...end } = segment.toEnd();
  if (JSON.stringify(read.toEnd()) !== JSON.stringify({ ...end, lastAppendTime })) {
    throw damaged(store, expected, read, 'the manifest describes other batches');
  }
  const fault = made === null ? null : (index?.faultBeside(made, segment) ?? null);
  if (fault !== null) throw damagedIndex(store, expected, fault);
}

/** The index of a segment; null if there is none: it is rebuilt when it is needed. */
async function readIndex(
  store: VerifiedStore,
  expected: ExpectedSegment,
): Promise<SegmentIndex | null> {
  const { logId, logTag, segment } = expected;
  const { number } = segment;
  try {
    const bytes = await readWhole(store.disk, store.directory.index(logId, number));
    const index = SegmentIndex.decode(bytes, { logTag, number, segment });
    if (index !== null) return index;
    throw damagedIndex(store, expected, 'it is not the intact index of its segment', bytes.length);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) === 'EIO') throw damagedIndex(store, expected, unreadReason);
    throw error;
  }
}

function damagedIndex(
  { directory }: StoreFiles,
  { logId, segment }: ExpectedSegment,
  reason: string,
  length = 0,
): DamagedData {
  const file = directory.index(logId, segment.number);
  const lastGoodOffset = segment.nextOffset - 1;
  const derived = `${reason} (the records are whole: remove it and it is made again)`;
  return new DamagedData({ file, from: 0, to: length, lastGoodOffset }, derived);
}

/** `read` is the part that was intact before the damage. */
function damaged(
  { directory }: StoreFiles,
  { logId, segment, before }: ExpectedSegment,
  read: Segment,
  reason: string,
): DamagedData {
  const good = Math.max(read.nextOffset, before?.nextOffset ?? 0) - 1;
  return new DamagedData(
    {
      file: directory.segment(logId, segment.number),
      from: read.end < segment.end ? read.end : 0,
      to: segment.end,
      lastGoodOffset: good < 0 ? null : good,
    },
    reason,
  );
}
