/** After a crash, batches that are intact but unproven are written to a new segment before use. */
import type { FileHandle } from '../disk/disk.js';
import type { FileSync } from '../disk/file-sync.js';
import type { StoreFiles } from '../disk/store-files.js';
import { isZero, readUpTo, withFile, writeFully } from '../disk/whole-file.js';
import type { Fence } from '../faults/fence.js';
import type { ScannedBatch } from '../format/batch-scan.js';
import {
  type BatchContent,
  type BatchPlace,
  batchHeaderLength,
  batchLength,
  sealBatch,
} from '../format/record-batch.js';
import {
  encodeSegmentHeader,
  type SegmentOrigin,
  segmentHeaderLength,
} from '../format/segment-format.js';
import { addRecordTerms } from '../index/record-terms.js';
import { SegmentIndex } from '../index/segment-index.js';
import type { ManifestLog } from '../manifest/manifest.js';
import type { Offset } from '../offsets/offset.js';
import { Segment } from '../segment/segment.js';
import { fillWithZeros } from '../segment/segment-lifecycle.js';

/** The store in which a log continues after a crash. */
export interface RestartedStore extends StoreFiles, SegmentOrigin {
  readonly segmentBytes: number;
  readonly fileSync: FileSync;
  readonly fence: Fence;
}

/** What follows in a segment after the part that is proven to have been durable. */
export interface UnprovenTail {
  readonly number: number;
  /** Intact, one directly after another; they end at `end`. */
  readonly batches: readonly Pick<ScannedBatch, 'header' | 'position'>[];
  readonly end: number;
  /** Bytes of the file: everything behind `end` does not parse. */
  readonly size: number;
}

/** What a log continues with after a crash. */
export interface FreshStart {
  /** The last complete segment. */
  readonly before: Segment | null;
  /** Where unproven batches are read from; null: at most a gap has to be filled. */
  readonly tail: UnprovenTail | null;
  /** In the lazy modes: offsets below this may have been assigned. */
  readonly gapTo: Offset;
}

/**
 * Durably writes a new segment that holds the unproven batches at their own offsets. The old bytes
 * may be in the page cache only (a failed fdatasync leaves them there, marked clean), and appending
 * to the old file could bring an old tail back. Offsets that were leased but hold nothing any more
 * become one batch without records, so that a reader gets past them. Null if there is nothing to
 * write. The segment is not in the manifest yet.
 */
export async function writeFreshSegment(
  store: RestartedStore,
  log: ManifestLog,
  logTag: number,
  { before, tail, gapTo }: FreshStart,
): Promise<Segment | null> {
  const { disk, directory } = store;
  const unproven = tail?.batches ?? [];
  const end = unproven.at(-1)?.header.nextOffset ?? before?.nextOffset ?? log.startOffset;
  if (unproven.length === 0 && gapTo <= end) return null;
  const segment = new Segment(log.id, log.nextNumber);
  segment.index = new SegmentIndex();
  segment.begin(unproven[0]?.header.baseOffset ?? end, before?.link.lastChecksum ?? 0);
  const header = Buffer.alloc(segmentHeaderLength);
  encodeSegmentHeader(header, {
    storeId: store.storeId,
    logId: log.id,
    number: segment.number,
    baseOffset: segment.baseOffset,
    chainSeed: segment.lastChecksum,
    previousEnd: before?.link.end ?? 0,
    createdAt: store.now(),
    epoch: store.epoch,
  });
  if (log.nextNumber === 0) {
    await disk.makeDirectory(directory.log(log.id));
    await disk.syncDirectory(directory.logs);
  }
  const aside = directory.asideFile(`segment-${log.id}-${segment.number}`);
  await withFile(disk, aside, 'create', async (file) => {
    if (log.settings.preparesNextSegment === true) await fillIfRoom(store, file);
    await writeFully(disk, file, header, 0);
    const add = async (bytes: Buffer, content: BatchContent) => {
      const place = placeIn(store, segment, logTag);
      const headerChecksum = sealBatch(bytes, 0, content, place);
      await writeFully(disk, file, bytes, segment.end);
      const body = bytes.subarray(batchHeaderLength, batchHeaderLength + content.bodyLength);
      if (segment.index !== null) {
        addRecordTerms(segment.index, body, content.baseOffset, segment.baseOffset);
      }
      segment.add({ ...content, headerChecksum });
    };
    for (const batch of unproven) {
      await add(await readBatch(store, log.id, tail, batch), batch.header);
    }
    if (gapTo > end) {
      await add(Buffer.alloc(batchHeaderLength), gapBetween(end, gapTo, store.now()));
    }
    await disk.sync(file);
  });
  await disk.rename(aside, directory.segment(log.id, segment.number));
  await disk.syncDirectory(directory.log(log.id));
  return segment;
}

/** The zeros make appends fast; on a full disk the log continues without them. */
async function fillIfRoom(store: RestartedStore, file: FileHandle): Promise<void> {
  try {
    await fillWithZeros(store, file, null);
  } catch (error) {
    if (!store.fence.lacksRoom(error)) throw error;
    await store.disk.truncate(file, 0);
  }
}

function placeIn(store: SegmentOrigin, segment: Segment, logTag: number): BatchPlace {
  return {
    rewritten: true,
    epoch: store.epoch,
    filePosition: segment.end,
    durablePosition: 0,
    previousChecksum: segment.lastChecksum,
    logTag,
  };
}

function gapBetween(baseOffset: Offset, nextOffset: Offset, appendTime: number): BatchContent {
  return { bodyLength: 0, baseOffset, nextOffset, recordCount: 0, appendTime, maxTimestamp: 0 };
}

function readBatch(
  { disk, directory, openFiles }: StoreFiles,
  logId: number,
  tail: UnprovenTail | null,
  { header, position }: Pick<ScannedBatch, 'header' | 'position'>,
): Promise<Buffer> {
  if (tail === null) throw new Error('batches without a file');
  return openFiles.use(directory.segment(logId, tail.number), (file) =>
    readUpTo(disk, file, position, batchLength(header.bodyLength)),
  );
}

/** Keeps a copy of the bytes after the last intact batch, unless they are all zeros. */
export async function keepUnparsed(
  store: RestartedStore,
  log: ManifestLog,
  { number, end, size }: UnprovenTail,
): Promise<void> {
  const { disk, directory, openFiles } = store;
  const bytes = await openFiles.use(directory.segment(log.id, number), async (file) =>
    (await isZero(disk, file, end, size)) ? null : readUpTo(disk, file, end, size - end),
  );
  if (bytes === null) return;
  const name = `log-${log.id}-segment-${number}-from-${end}`;
  await withFile(disk, directory.quarantined(store.epoch, name), 'create', async (file) => {
    await writeFully(disk, file, bytes, 0);
    await disk.sync(file);
  });
  await disk.syncDirectory(directory.quarantine);
}
