/** Replaces a damaged segment by what can be read of it: the rest becomes a gap. */
import type { ScannedBatch } from '../format/batch-scan.js';
import type { RecordInput } from '../format/record.js';
import { encodeRecord, recordLength } from '../format/record-encoding.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { OffsetRange } from '../offsets/offset.js';
import type { DamagedSpan, Segment } from '../segment/segment.js';
import { findDamage } from '../segment/segment-damage.js';
import type { GroupRewrite, RewritingStore, RewrittenLog } from './group-rewrite.js';
import { checksumOf, Fingerprint, type Remains } from './remains.js';

/** Which segments are rewritten, and what to put into their gaps. */
export interface Healing {
  /** Numbers of the segments that cannot be read completely. */
  readonly segments: ReadonlySet<number>;
  /** A record for the first offset of a gap; null: the gap stays empty. */
  filler(range: OffsetRange): RecordInput | null;
}

const chunkBytes = 256 * 1024;

/** Rewrites the segments; returns the lost offsets, in order. */
export async function heal(
  store: RewritingStore,
  log: RewrittenLog,
  rewrite: GroupRewrite,
  { segments, filler }: Healing,
): Promise<OffsetRange[]> {
  const gone: OffsetRange[] = [];
  for (const segment of log.segments.filter(({ number }) => segments.has(number))) {
    segment.damages = await findDamage(store, log, segment);
    const read = (take: (remains: Remains) => Promise<void> | void) =>
      readAround(log, segment, filler, take);
    const fingerprint = new Fingerprint();
    await read((remains) => fingerprint.add(checksumOf(remains)));
    await rewrite.replace([segment], fingerprint, read);
    gone.push(...segment.damages.map(({ from, until }) => ({ from, until })));
  }
  return gone;
}

/** Passes on the intact batches of a segment, and what is to fill its gaps. */
async function readAround(
  { reader }: RewrittenLog,
  segment: Segment,
  filler: Healing['filler'],
  take: (remains: Remains) => Promise<void> | void,
): Promise<void> {
  // The reader calls back in order, but does not wait at a gap.
  const gaps: DamagedSpan[] = [];
  const takeGaps = async () => {
    for (const gap of gaps.splice(0)) {
      const remains = inGap(segment, gap, filler);
      if (remains !== null) await take(remains);
    }
  };
  const visit = async (batches: ScannedBatch[]) => {
    await takeGaps();
    for (const { header, body } of batches) await take({ content: header, body });
    return true;
  };
  const range = { position: segmentHeaderLength, limit: segment.end, chunkBytes };
  await reader.scan(segment, range, visit, (gap) => gaps.push(gap) > 0);
  await takeGaps();
}

/**
 * What to write for a gap. The last gap is written even if nothing fills it, so that the segment
 * ends where it ended before.
 */
function inGap(
  segment: Segment,
  { from, until }: DamagedSpan,
  filler: Healing['filler'],
): Remains | null {
  if (from >= until) return null;
  const record = filler({ from, until });
  if (record === null && until !== segment.nextOffset) return null;
  const appendTime = segment.lastAppendTime ?? segment.maxTimestamp;
  const timestamp = record?.timestamp ?? appendTime;
  const body = Buffer.alloc(record === null ? 0 : recordLength(record));
  if (record !== null) encodeRecord(body, 0, record, 0, timestamp);
  const content = {
    bodyLength: body.length,
    baseOffset: from,
    nextOffset: until,
    recordCount: record === null ? 0 : 1,
    appendTime,
    maxTimestamp: record === null ? 0 : timestamp,
  };
  return { content, body };
}
