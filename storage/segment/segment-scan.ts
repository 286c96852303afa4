/** What a segment file really holds, and how much of it is proven to have been durable. */
import type { Disk, FileHandle } from '../disk/disk.js';
import type { StoreFiles } from '../disk/store-files.js';
import { readUpTo } from '../disk/whole-file.js';
import { BatchScan, type ScannedBatch } from '../format/batch-scan.js';
import { type BatchHeader, batchMagic, decodeBatchHeader } from '../format/record-batch.js';
import {
  decodeSegmentHeader,
  type SegmentEnd,
  type SegmentHeader,
  segmentHeaderLength,
} from '../format/segment-format.js';
import { addRecordTerms } from '../index/record-terms.js';
import { SegmentIndex } from '../index/segment-index.js';
import { Segment } from './segment.js';

const chunkBytes = 1024 * 1024;

/** The result of one pass over a segment file. */
export interface ScannedSegment {
  /** Null if there is no intact header: the file is empty, or its first write was torn. */
  readonly header: SegmentHeader | null;
  /** Everything that is intact, with its index. */
  readonly segment: Segment;
  /** The header and position of each batch, without the body. */
  readonly batches: readonly ScannedBatch[];
  readonly size: number;
  /** Why the pass ended; null if it reached the limit. */
  readonly fault: string | null;
  /** Bytes that were fdatasynced according to all headers of the file, even behind the fault. */
  readonly proven: number;
}

/**
 * Reads a segment from its start: the longest prefix of intact batches. With a `limit` it reads no
 * further; without one it also searches behind the prefix for headers that prove more.
 */
export async function scanSegment(
  store: StoreFiles,
  log: { readonly id: number; readonly logTag: number },
  number: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<ScannedSegment> {
  const path = store.directory.segment(log.id, number);
  return store.openFiles.use(path, async (file) => {
    const { disk } = store;
    const size = await disk.size(file);
    const header = decodeSegmentHeader(await readUpTo(disk, file, 0, segmentHeaderLength));
    const segment = new Segment(log.id, number);
    segment.index = new SegmentIndex();
    const batches: ScannedBatch[] = [];
    if (header !== null) segment.begin(header.baseOffset, header.chainSeed);
    const scan = new BatchScan({
      disk,
      file,
      position: segmentHeaderLength,
      limit: header === null ? 0 : Math.min(size, limit),
      logTag: log.logTag,
      chain: header?.chainSeed ?? null,
      chunkBytes,
    });
    let proven = 0;
    for (let found = await scan.next(); found.length > 0; found = await scan.next()) {
      for (const batch of found) {
        proven = Math.max(proven, batch.header.durablePosition);
        addRecordTerms(segment.index, batch.body, batch.header.baseOffset, segment.baseOffset);
        segment.add(batch.header);
        batches.push({ ...batch, body: noBody });
      }
    }
    if (limit === Number.POSITIVE_INFINITY) {
      const behind = await provenBehind(store, file, segment.end, size, log.logTag);
      proven = Math.max(proven, behind);
    }
    return { header, segment, batches, size, fault: scan.fault, proven };
  });
}

/** Whether a segment can be read up to its known end. */
export function endsAs({ segment }: ScannedSegment, { end, lastChecksum }: SegmentEnd): boolean {
  return segment.end === end && segment.lastChecksum === lastChecksum;
}

const noBody = Buffer.alloc(0);

/** The largest durablePosition of any intact batch header at its place in [from, to). */
async function provenBehind(
  { disk }: StoreFiles,
  file: FileHandle,
  from: number,
  to: number,
  logTag: number,
): Promise<number> {
  let proven = 0;
  for await (const { durablePosition } of headersIn(disk, file, from, to, logTag)) {
    proven = Math.max(proven, durablePosition);
  }
  return proven;
}

/** The intact batch headers of a log in [from, to), at their places, whatever is between them. */
export async function* headersIn(
  disk: Disk,
  file: FileHandle,
  from: number,
  to: number,
  logTag: number,
): AsyncGenerator<BatchHeader> {
  // Chunks overlap by more than a header's length, so that a header across two chunks is found.
  for (let position = from; position < to; position += chunkBytes - 128) {
    const chunk = await readUpTo(disk, file, position, Math.min(chunkBytes, to - position));
    for (let at = chunk.indexOf(batchMagic); at >= 0; at = chunk.indexOf(batchMagic, at + 1)) {
      const header = decodeBatchHeader(chunk, at);
      if (header?.logTag === logTag && header.filePosition === position + at) yield header;
    }
  }
}

/**
 * Whether a file holds an intact batch of this log at its place: data, not garbage. A batch
 * rewritten by recovery counts only once its new segment is listed: until then the original is
 * still in its old place.
 */
export async function holdsBatches(
  store: StoreFiles,
  path: string,
  logTag: number,
): Promise<boolean> {
  return store.openFiles.use(path, async (file) => {
    const { disk } = store;
    const limit = await disk.size(file);
    const position = segmentHeaderLength;
    const scan = new BatchScan({ disk, file, position, limit, logTag, chain: null, chunkBytes });
    for (let found = await scan.next(); found.length > 0; found = await scan.next()) {
      if (found.some(({ header }) => !header.rewritten)) return true;
    }
    return false;
  });
}
