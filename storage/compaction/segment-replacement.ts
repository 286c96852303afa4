/** Writes a segment that is to replace others, and verifies it before it does. */
import { createHash } from 'node:crypto';
import type { FileHandle } from '../disk/disk.js';
import type { StoreFiles } from '../disk/store-files.js';
import { replaceFile, writeFully } from '../disk/whole-file.js';
import { DamagedData, diskError, isNoSpace } from '../faults/storage-errors.js';
import { BatchScan } from '../format/batch-scan.js';
import { batchHeaderLength, batchLength, sealBatch } from '../format/record-batch.js';
import {
  encodeSegmentFooter,
  encodeSegmentHeader,
  type SegmentLink,
  type SegmentOrigin,
  segmentHeaderLength,
} from '../format/segment-format.js';
import { addRecordTerms } from '../index/record-terms.js';
import { SegmentIndex } from '../index/segment-index.js';
import { Segment } from '../segment/segment.js';
import { digestOf } from '../segment/segment-digest.js';
import { type GrowingStore, removeUnlisted, writeIndexFile } from '../segment/segment-lifecycle.js';
import { checksumOf, Fingerprint, type Remains } from './remains.js';

const chunkBytes = 256 * 1024;

/** The store in which a replacement is written. */
export interface ReplacingStore extends GrowingStore, SegmentOrigin {}

/** What a replacement is made from. */
export interface Replacement {
  readonly log: { readonly id: number; readonly logTag: number };
  readonly number: number;
  /** Where the first of the replaced segments begins. */
  readonly baseOffset: number;
  /** What its header says of the segment before it; null if there is none. */
  readonly before: SegmentLink | null;
  /** The fingerprint of the batches that `read` will pass on. */
  readonly fingerprint: Fingerprint;
  /** Passes on every batch of the replacement, in order. */
  read(take: (remains: Remains) => Promise<void>): Promise<void>;
  /** The pruned file for the removed records; the segment's bytes are at `path`. */
  prunedFile(path: string, end: number): Promise<Uint8Array | null>;
}

/** The written segment: complete, with footer and index file. */
export interface Replaced {
  readonly segment: Segment;
  /** SHA-256, hex. */
  readonly digest: string;
}

/**
 * Writes the segment aside, fdatasyncs it in every mode, reads it back, and only then gives it its
 * name. Rejects with `DiskFull` if there is no room, with `DamagedData` if it does not read back as
 * written, and with what `read` rejects with: nothing of it is left then.
 */
export async function writeReplacement(
  store: ReplacingStore,
  replacement: Replacement,
): Promise<Replaced> {
  const { disk, directory } = store;
  const { log, number } = replacement;
  const aside = directory.asideFile(`segment-${log.id}-${number}`);
  try {
    const written = await writeAside(store, replacement, aside);
    await verifyAside(store, replacement, aside, written);
    await writePruned(store, replacement, await replacement.prunedFile(aside, written.segment.end));
    await changing(store, log.id, () => writeIndexFile(store, log, written.segment));
    const path = directory.segment(log.id, number);
    await changing(store, log.id, () => disk.rename(aside, path));
    await store.fileSync.mustSyncDirectory(directory.log(log.id));
    return written;
  } catch (error) {
    const others = ['index', 'pruned'].map((of) =>
      directory.asideFile(`${of}-${log.id}-${number}`),
    );
    const named = [directory.index(log.id, number), directory.pruned(log.id, number)];
    await removeUnlisted(store, [aside, ...others, ...named]);
    throw error;
  }
}

async function writePruned(
  store: ReplacingStore,
  { log, number }: Replacement,
  bytes: Uint8Array | null,
): Promise<void> {
  if (bytes === null) return;
  const { disk, directory } = store;
  const aside = directory.asideFile(`pruned-${log.id}-${number}`);
  const path = directory.pruned(log.id, number);
  await changing(store, log.id, () => replaceFile(disk, aside, path, Buffer.from(bytes)));
}

/** Changes files that nothing relies on yet: if there is no room, the log stays as it was. */
async function changing<T>(
  store: ReplacingStore,
  logId: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const doing = `compacting log ${logId}`;
    throw isNoSpace(error) ? diskError(doing, error) : store.fence.fail(doing, error);
  }
}

async function writeAside(
  store: ReplacingStore,
  replacement: Replacement,
  aside: string,
): Promise<Replaced> {
  const { disk } = store;
  const { log, read } = replacement;
  const change = <T>(work: () => Promise<T>) => changing(store, log.id, work);
  const file = await change(() => store.openFiles.openOwn(aside, 'create'));
  try {
    const copy = new SegmentCopy(store, replacement, file);
    await read((remains) => change(() => copy.add(remains)));
    return await change(() => copy.close());
  } finally {
    await change(() => disk.close(file));
  }
}

/** A segment file that is written from its first byte to its last. */
class SegmentCopy {
  private readonly segment: Segment;
  private readonly digest = createHash('sha256');
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private written = 0;

  constructor(
    private readonly store: ReplacingStore,
    private readonly replacement: Replacement,
    private readonly file: FileHandle,
  ) {
    const { log, number, baseOffset, before } = replacement;
    this.segment = new Segment(log.id, number);
    this.segment.index = new SegmentIndex();
    this.segment.begin(baseOffset, before?.lastChecksum ?? 0);
    const header = Buffer.alloc(segmentHeaderLength);
    encodeSegmentHeader(header, {
      storeId: store.storeId,
      logId: log.id,
      number,
      baseOffset,
      chainSeed: before?.lastChecksum ?? 0,
      previousEnd: before?.end ?? 0,
      createdAt: store.now(),
      epoch: store.epoch,
    });
    this.push(header);
  }

  async add({ content, body }: Remains): Promise<void> {
    const { store, replacement, segment } = this;
    const bytes = Buffer.allocUnsafeSlow(batchLength(content.bodyLength));
    body.copy(bytes, batchHeaderLength);
    const headerChecksum = sealBatch(bytes, 0, content, {
      rewritten: true,
      epoch: store.epoch,
      filePosition: segment.end,
      durablePosition: 0,
      previousChecksum: segment.lastChecksum,
      logTag: replacement.log.logTag,
    });
    if (segment.index !== null) {
      addRecordTerms(segment.index, body, content.baseOffset, segment.baseOffset);
    }
    segment.add({ ...content, headerChecksum });
    this.push(bytes);
    if (this.waitingBytes >= chunkBytes) await this.flush();
  }

  /** Writes the remaining bytes and the footer, and makes all of it durable. */
  async close(): Promise<Replaced> {
    const { store, file, segment } = this;
    await this.flush();
    const digest = this.digest.digest();
    await writeFully(store.disk, file, encodeSegmentFooter(segment.toEnd(), digest), segment.end);
    await store.fileSync.sync(file);
    return { segment, digest: digest.toString('hex') };
  }

  private push(bytes: Buffer): void {
    this.digest.update(bytes);
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.concat(this.waiting.splice(0));
    this.waitingBytes = 0;
    await writeFully(this.store.disk, this.file, bytes, this.written);
    this.written += bytes.length;
  }
}

/** Reads the whole file again: checks every checksum and link, and that it is what was intended. */
async function verifyAside(
  { disk, openFiles, directory }: StoreFiles,
  { log, before, fingerprint }: Replacement,
  aside: string,
  { segment, digest }: Replaced,
): Promise<void> {
  const found = new Fingerprint();
  const file = await openFiles.openOwn(aside, 'read');
  try {
    const scan = new BatchScan({
      disk,
      file,
      position: segmentHeaderLength,
      limit: segment.end,
      logTag: log.logTag,
      chain: before?.lastChecksum ?? 0,
      chunkBytes,
    });
    for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
      for (const { header, body } of batches) found.add(checksumOf({ content: header, body }));
    }
    const isWhole = scan.position === segment.end && found.equals(fingerprint);
    if (isWhole && (await digestOf(disk, file, segment.end)).toString('hex') === digest) return;
  } finally {
    await disk.close(file);
  }
  const range = { from: 0, to: segment.end, lastGoodOffset: null };
  throw new DamagedData(
    { file: directory.segment(log.id, segment.number), ...range },
    'what was rewritten does not read back; the log is as it was',
  );
}
