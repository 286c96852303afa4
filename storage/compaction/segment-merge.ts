/** Merges small neighbouring segments: every crash leaves one, however little it holds. */
import type { Segment } from '../segment/segment.js';
import {
  fitsInOne,
  GroupRewrite,
  isDamaged,
  type RewritingStore,
  type RewrittenLog,
} from './group-rewrite.js';
import { checksumOf, Fingerprint, type Remains, remainsOf } from './remains.js';

/** Fewer segments are left as they are. */
export const groupMin = 4;
const groupMax = 64;

/**
 * Segments whose latest records are further apart are not merged, so that retention by time keeps
 * merged records longer by at most this.
 */
const latestApartMsMax = 24 * 60 * 60 * 1000;

/**
 * The oldest neighbours worth merging; empty if there are none. They fit into one segment and none
 * is more than half of it: so each merge at least doubles the segment that holds a record, and a
 * record is copied only a few times, however many crashes come.
 */
export function groupToMerge(segments: readonly Segment[], segmentBytes: number): Segment[] {
  for (let first = 0; first < segments.length; first += 1) {
    let until = first;
    const last = Math.min(segments.length, first + groupMax);
    while (until < last && canTake(segments.slice(first, until + 1), segmentBytes)) until += 1;
    for (let end = until; end - first >= groupMin; end -= 1) {
      const group = segments.slice(first, end);
      if (isBalanced(group)) return group;
    }
  }
  return [];
}

function canTake(group: readonly Segment[], segmentBytes: number): boolean {
  const last = group.at(-1);
  if (last === undefined || !last.isSealed || isDamaged(last)) return false;
  const times = group.map(({ span }) => span.latestTime);
  const isApart = Math.max(...times) - Math.min(...times) > latestApartMsMax;
  return !isApart && fitsInOne(group, segmentBytes);
}

function isBalanced(group: readonly Segment[]): boolean {
  const bytes = group.reduce((sum, { end }) => sum + end, 0);
  return group.every(({ end }) => end * 2 <= bytes);
}

/**
 * Merges one group of a log, if there is one: all records stay, at the same offsets. Returns false
 * if there is none. Rejects like a compaction, which leaves the log as it was. `throwIfStopped`
 * throws when the work must end.
 */
export async function mergeOnce(
  store: RewritingStore,
  log: RewrittenLog,
  throwIfStopped: () => void,
): Promise<boolean> {
  const group = groupToMerge(log.segments, store.segmentBytes);
  if (group.length === 0) return false;
  const rewrite = new GroupRewrite(store, log, throwIfStopped);
  const readAll = (take: (remains: Remains) => Promise<void> | void) =>
    rewrite.read(group, (batch) => take(remainsOf(batch, () => true)));
  const fingerprint = new Fingerprint();
  await readAll((remains) => fingerprint.add(checksumOf(remains)));
  await rewrite.replace(group, fingerprint, readAll);
  return true;
}
