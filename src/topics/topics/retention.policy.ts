/** Which records of a partition are kept no longer, and when compacting one is worth it. */
import { type TopicTrimmed, unlimited } from './topic.events.js';

/** A piece of a log that can only go as a whole, oldest first: see storage's segments. */
export interface RetainedSegment {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly byteLength: number;
  /** When the last of its records was appended, whatever times they claim; Unix milliseconds. */
  readonly latestTime: number;
  /** It does not grow any more. */
  readonly isSealed: boolean;
}

/** How long records are kept, `unlimited` where there is no limit. */
export interface RetentionLimits {
  readonly retentionMs: number;
  readonly retentionBytes: number;
}

/** Where a partition is to begin, and why. */
export interface DueTrim {
  readonly before: number;
  readonly cause: Exclude<TopicTrimmed['cause'], 'purge'>;
}

/** Tombstones stay for a day, and nothing waits longer for compaction (Kafka: 24 h). */
export const dayMs = 86_400_000;

/**
 * The records that are too old, or too many bytes; null = none. By time a span that still grows can
 * go too; by size it stays, as it does in Kafka: a partition may hold that much more.
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

/** The first offset behind the spans in front whose records are all older than `time`. */
function endOfOld(spans: readonly RetainedSegment[], time: number): number {
  const kept = spans.findIndex(({ latestTime }) => latestTime >= time);
  return spans.slice(0, kept < 0 ? spans.length : kept).at(-1)?.nextOffset ?? 0;
}

/** The first offset behind the sealed spans in front without which `bytes` are still there. */
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

/** How a log has been compacted so far; times are Unix milliseconds. */
export interface LastCompaction {
  /** Below this each key is there at most once. */
  readonly cleanUntil: number;
  readonly begunAt: number;
  /** When the oldest tombstone that it left was written; null = there is none. */
  readonly oldestTombstone: number | null;
}

/**
 * How far a partition is to be compacted, or null: when what came since the last time is half of
 * what was compacted then, so that compacting costs at most three times what was written, or when
 * the last time is a day ago and there is something to do. What grows waits until it is sealed, or
 * a day old.
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
