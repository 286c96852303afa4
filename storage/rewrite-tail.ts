/** After a crash: what is intact but unproven is written to a new segment before it is trusted. */
import type { ManifestLog } from './manifest.js';
import { batchHeaderLength, batchLength, sealBatch } from './record-batch.js';
import { addRecordTerms } from './record-terms.js';
import { Segment } from './segment.js';
import { encodeSegmentHeader, segmentHeaderLength } from './segment-format.js';
import { SegmentIndex } from './segment-index.js';
import type { ScannedSegment } from './segment-scan.js';
import type { StoreContext } from './store-context.js';
import { isZero, readUpTo, withFile, writeFully } from './whole-file.js';

/**
 * Copies the batches of [proven, end) with the same offsets into a segment of their own, durably.
 * The old bytes may be in the page cache only (a failed fdatasync leaves them there, clean), and a
 * file that is appended to could bring an old tail back. What does not parse behind them is kept in
 * quarantine/. Null when there is nothing to rewrite. The manifest does not know of it yet.
 */
export async function rewriteTail(
  context: StoreContext,
  log: ManifestLog,
  logTag: number,
  tail: ScannedSegment,
  proven: number,
): Promise<Segment | null> {
  const { disk, directory, openFiles } = context;
  const path = directory.segment(log.id, tail.segment.number);
  await keepUnparsed(context, log, path, tail);
  const unproven = tail.batches.filter(({ position }) => position >= proven);
  const first = unproven[0];
  if (first === undefined) return null;
  const before = tail.segment.upTo(proven, tail.batches);
  const segment = new Segment(log.id, log.nextNumber);
  segment.index = new SegmentIndex();
  const hasBefore = before.batchCount > 0;
  const chainSeed = hasBefore ? before.lastChecksum : (tail.header?.chainSeed ?? 0);
  segment.begin(first.header.baseOffset, chainSeed);
  const header = Buffer.alloc(segmentHeaderLength);
  encodeSegmentHeader(header, {
    storeId: context.storeId,
    logId: log.id,
    number: segment.number,
    baseOffset: segment.baseOffset,
    chainSeed,
    previousEnd: hasBefore ? before.end : (tail.header?.previousEnd ?? 0),
    createdAt: context.now(),
    epoch: context.epoch,
  });
  const aside = directory.asideFile(`segment-${log.id}-${segment.number}`);
  await withFile(disk, aside, 'create', async (file) => {
    await writeFully(disk, file, header, 0);
    for (const { header: old, position } of unproven) {
      const bytes = await openFiles.use(path, (source) =>
        readUpTo(disk, source, position, batchLength(old.bodyLength)),
      );
      const body = bytes.subarray(batchHeaderLength, batchHeaderLength + old.bodyLength);
      const headerChecksum = sealBatch(bytes, 0, old, {
        rewritten: true,
        epoch: context.epoch,
        filePosition: segment.end,
        durablePosition: 0,
        previousChecksum: segment.lastChecksum,
        logTag,
      });
      await writeFully(disk, file, bytes, segment.end);
      addRecordTerms(segment.index ?? new SegmentIndex(), body, old.baseOffset, segment.baseOffset);
      segment.add({ ...old, headerChecksum });
    }
    await disk.sync(file);
  });
  await disk.rename(aside, directory.segment(log.id, segment.number));
  await disk.syncDirectory(directory.log(log.id));
  return segment;
}

/** A copy of what stands behind the last intact batch, unless it is all zeros. */
async function keepUnparsed(
  context: StoreContext,
  log: ManifestLog,
  path: string,
  tail: ScannedSegment,
): Promise<void> {
  const { disk, directory, openFiles } = context;
  const { end } = tail.segment;
  const bytes = await openFiles.use(path, async (file) =>
    (await isZero(disk, file, end, tail.size)) ? null : readUpTo(disk, file, end, tail.size - end),
  );
  if (bytes === null) return;
  const name = `log-${log.id}-segment-${tail.segment.number}-from-${tail.segment.end}`;
  await withFile(disk, directory.quarantined(context.epoch, name), 'create', async (file) => {
    await writeFully(disk, file, bytes, 0);
    await disk.sync(file);
  });
  await disk.syncDirectory(directory.quarantine);
}
