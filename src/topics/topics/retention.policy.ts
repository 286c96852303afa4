/**
 * Decides which records of a partition are deleted by retention, and when a partition should be
 * compacted.
 */
import { type TopicTrimmed, unlimited } from './topic.events.js';

/**
 * A piece of a log that can only be removed as a whole; lists are oldest first. See storage's
 * segments.
 */
export interface RetainedSegment {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly byteLength: number;
  /**
   * When the last of its records was appended, regardless of the records' own timestamps; Unix
   * milliseconds.
   */
  readonly latestTime: number;
  /** Whether the segment no longer grows. */
  readonly isSealed: boolean;
}

/** How long records are kept; `unlimited` = no limit. */
export interface RetentionLimits {
  readonly retentionMs: number;
  readonly retentionBytes: number;
}

/** The new start of a partition, and why. */
export interface DueTrim {
  readonly before: number;
  readonly cause: Exclude<TopicTrimmed['cause'], 'purge'>;
}

/** Tombstones stay for a day, and no record waits longer for compaction (Kafka: 24 h). */
export const dayMs = 86_400_000;

/**
 * Finds the records to remove because they are too old or take too many bytes; null = none. By
 * time, even the growing segment can be removed; by size it stays, as in Kafka, so a partition may
 * exceed its size by that much.
 */
export function trimDue(
  spans: readonly RetainedSegment[],
  { retentionMs, retentionBytes }: RetentionLimits,
  now: number,
): DueTrim | null {
  const byTime = retentionMs === unlimited ? 0 : endOfOld(spans, now - retentionMs);
  const bySize = retentionBytes === unlimited ? 0 : endOfExcess(spans, retentionBytes);
  const before = Math.max(byTime, bySize);
  return before === 0 ? null : { before, cause: byTime >= bySize ? 'time' : 'size' };
}

/** The end of the leading segments whose records are all older than `time`. */
function endOfOld(spans: readonly RetainedSegment[], time: number): number {
  const kept = spans.findIndex(({ latestTime }) => latestTime >= time);
  return spans.slice(0, kept < 0 ? spans.length : kept).at(-1)?.nextOffset ?? 0;
}

/** The end of the leading sealed segments that can be removed while at least `bytes` remain. */
function endOfExcess(spans: readonly RetainedSegment[], bytes: number): number {
  let left = sizeOf(spans);
  let end = 0;
  for (const { byteLength, nextOffset, isSealed } of spans) {
    left -= byteLength;
    if (!isSealed || left < bytes) break;
    end = nextOffset;
  }
  return end;
}

/** The last compaction of a log; times are Unix milliseconds. */
export interface LastCompaction {
  /** Below this offset, each key occurs at most once. */
  readonly cleanUntil: number;
  readonly begunAt: number;
  /** When the oldest remaining tombstone was written; null = none remained. */
  readonly oldestTombstone: number | null;
}

/**
 * How far a partition should be compacted now; null = not now. It is due when the bytes since the
 * last compaction are at least half of the compacted bytes, so that compacting costs at most three
 * times what was written; or when the last compaction is a day ago and there is something to do. A
 * growing segment waits until it is sealed or a day old.
 */
export function compactionDue(
  spans: readonly RetainedSegment[],
  { cleanUntil, begunAt, oldestTombstone }: LastCompaction,
  now: number,
): number | null {
  const reachable = spans.filter((span) => span.isSealed || now - span.latestTime >= dayMs);
  const until = reachable.at(-1)?.nextOffset ?? 0;
  const dirtyBytes = sizeOf(reachable.filter(({ nextOffset }) => nextOffset > cleanUntil));
  const cleanBytes = sizeOf(reachable) - dirtyBytes;
  const isMuch = dirtyBytes > 0 && dirtyBytes * 2 >= cleanBytes;
  const hasOldTombstones = oldestTombstone !== null && oldestTombstone < now - dayMs;
  const isLongAgo = now - begunAt >= dayMs && (dirtyBytes > 0 || hasOldTombstones);
  return isMuch || isLongAgo ? until : null;
}

function sizeOf(spans: readonly RetainedSegment[]): number {
  return spans.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
