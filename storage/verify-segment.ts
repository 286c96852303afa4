/** Reads one segment file from first byte to last and holds it against all that is known of it. */
import { BatchScan, type ScannedBatch } from './batch-scan.js';
import type { FileHandle } from './disk.js';
import { decodeRecords } from './record.js';
import { footerFault } from './sealed-segment.js';
import { Segment } from './segment.js';
import {
  decodeSegmentHeader,
  followsOn,
  type SegmentHeader,
  segmentHeaderLength,
} from './segment-format.js';
import { SegmentIndex } from './segment-index.js';
import { digestOf } from './segment-lifecycle.js';
import { DamagedData, errorCode } from './storage-errors.js';
import type { StoreContext } from './store-context.js';
import { readUpTo, readWhole } from './whole-file.js';

const chunkBytes = 1024 * 1024;

/** What a segment is held against. */
export interface ExpectedSegment {
  readonly logId: number;
  readonly logTag: number;
  /** As the manifest, or recovery, describes it. */
  readonly segment: Segment;
  /** The segment in front of it, if that is still there. */
  readonly before: Segment | null;
  /** SHA-256, hex; null for a segment that is not sealed. */
  readonly digest: string | null;
  /** Whether it was left with an index file that fits. */
  readonly isIndexed: boolean;
}

/** Throws `DamagedData` for the first thing that does not hold; true if its index was there. */
export async function verifySegment(
  context: StoreContext,
  expected: ExpectedSegment,
): Promise<boolean> {
  const index = expected.isIndexed ? await readIndex(context, expected) : null;
  const path = context.directory.segment(expected.logId, expected.segment.number);
  await context.openFiles.use(path, async (file) => {
    const header = decodeSegmentHeader(await readUpTo(context.disk, file, 0, segmentHeaderLength));
    const reason = headerFault(context, expected, header);
    if (header === null || reason !== null) {
      throw damaged(context, expected, new Segment(expected.logId, 0), reason ?? 'no header');
    }
    await verifyBatches(context, expected, file, header, index);
    const { segment, digest } = expected;
    if (digest === null) return;
    const end = segment.toEnd();
    const fault = await footerFault(context.disk, file, { number: segment.number, end, digest });
    if (fault !== null) throw damaged(context, expected, segment, fault);
    if ((await digestOf(context, file, segment.end)).toString('hex') === digest) return;
    throw damaged(context, expected, segment, 'the SHA-256 it was sealed with differs');
  });
  return index !== null;
}

function headerFault(
  { storeId }: StoreContext,
  { logId, segment, before }: ExpectedSegment,
  header: SegmentHeader | null,
): string | null {
  if (header === null) return 'no intact segment header';
  if (!header.storeId.equals(storeId) || header.logId !== logId) {
    return 'the file belongs to another log or store';
  }
  if (header.number !== segment.number) return 'the file was renamed';
  if (before === null) return null;
  return followsOn(header, before) ? null : 'it does not follow the segment before it';
}

async function verifyBatches(
  context: StoreContext,
  expected: ExpectedSegment,
  file: FileHandle,
  header: SegmentHeader,
  index: SegmentIndex | null,
): Promise<void> {
  const { logId, logTag, segment } = expected;
  const scan = new BatchScan({
    disk: context.disk,
    file,
    position: segmentHeaderLength,
    limit: segment.end,
    logTag,
    chain: header.chainSeed,
    chunkBytes,
  });
  const read = new Segment(logId, segment.number);
  read.begin(header.baseOffset, header.chainSeed);
  for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
    for (const batch of batches) {
      read.add(batch.header);
      if (index !== null && !isFound(index, batch, segment.baseOffset)) {
        throw damagedIndex(context, expected, `it does not find ${batch.header.baseOffset}`);
      }
    }
  }
  if (read.end < segment.end) {
    throw damaged(context, expected, read, scan.fault ?? 'the data ends too early');
  }
  const { lastAppendTime = read.lastAppendTime, ...end } = segment.toEnd();
  if (JSON.stringify(read.toEnd()) === JSON.stringify({ ...end, lastAppendTime })) return;
  throw damaged(context, expected, read, 'the manifest describes other batches');
}

/** Whether the index leads to a batch by its offset, and to its records by every term. */
function isFound(index: SegmentIndex, { header, body, position }: ScannedBatch, base: number) {
  if (index.offsets.positionOf(header.baseOffset - base) > position) return false;
  return decodeRecords(body, header.baseOffset).every(({ terms, offset }) =>
    terms.every((term) => index.find(term).includes(offset - base)),
  );
}

/** The index of a segment; null where there is none, which is made again when it is needed. */
async function readIndex(
  context: StoreContext,
  expected: ExpectedSegment,
): Promise<SegmentIndex | null> {
  const { logId, logTag, segment } = expected;
  const { number } = segment;
  try {
    const bytes = await readWhole(context.disk, context.directory.index(logId, number));
    const index = SegmentIndex.decode(bytes, { logTag, number, segment });
    if (index !== null) return index;
    throw damagedIndex(
      context,
      expected,
      'it is not the intact index of its segment',
      bytes.length,
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function damagedIndex(
  { directory }: StoreContext,
  { logId, segment }: ExpectedSegment,
  reason: string,
  length = 0,
): DamagedData {
  const file = directory.index(logId, segment.number);
  const lastGoodOffset = segment.nextOffset - 1;
  const derived = `${reason} (the records are whole: remove it and it is made again)`;
  return new DamagedData({ file, from: 0, to: length, lastGoodOffset }, derived);
}

/** `read` is what was intact in front of the damage. */
function damaged(
  { directory }: StoreContext,
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
