/**
 * The log shared with other machines in which writes become durable before they reach this folder.
 * Without it, the folder is the only place.
 */
import { RecordsMissing } from '../faults/storage-errors.js';
import { type EncodedRecords, encodedFrom } from '../format/encoded-records.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';

/** Records of one log that become durable together, as encoded in a batch. */
export interface CommittedRecords {
  readonly baseOffset: Offset;
  /** Encoded as a batch's body (record.ts); the bytes may change once they are durable. */
  readonly body: Buffer;
}

/** All logs whose names it `shares` commit through it; each log commits one group at a time. */
export interface CommitStream {
  /** Whether a log of this name is the same on every machine. */
  shares(logName: string): boolean;
  /** Why this machine may append nothing of its own now; null if it may. */
  readonly refusal: Error | null;
  /** Settles once the records count for every machine; rejects for good if they may never count. */
  append(logName: string, records: readonly CommittedRecords[]): Promise<void>;
  /** Drops the log and its name on every machine. */
  drop(logName: string): Promise<void>;
  /** Removes the records below `offset` on every machine. */
  trim(logName: string, offset: Offset): Promise<void>;
}

/** The stream for a log of this name; null if only the folder makes it durable. */
export function streamOf(commits: CommitStream | null, logName: string): CommitStream | null {
  return commits?.shares(logName) === true ? commits : null;
}

/** The parts of a following log that `unfollowed` needs. */
interface FollowingLog {
  readonly name: string;
  readonly endOffset: Offset;
}

/**
 * The part of records committed by another machine that `log` does not have yet; null if it has
 * all. Throws `RecordsMissing` if earlier records are not here, or if the records have offsets that
 * the last of its `segments` leaves out: they would be lost if they were skipped.
 */
export function unfollowed(
  { baseOffset, body }: CommittedRecords,
  { name, endOffset }: FollowingLog,
  segments: readonly Segment[],
): EncodedRecords | null {
  const records = encodedFrom(body, baseOffset, endOffset);
  const first = records?.firstOffset ?? endOffset;
  if (first > endOffset) {
    throw new RecordsMissing(`log ${name} ends at ${endOffset} here, and at ${first} elsewhere`);
  }
  const gap = baseOffset < endOffset ? gapAtEnd(segments) : null;
  const left = gap === null ? null : encodedFrom(body, baseOffset, gap.baseOffset);
  if (gap !== null && left !== null && left.firstOffset < gap.nextOffset) {
    const { firstOffset } = left;
    throw new RecordsMissing(`log ${name} has offset ${firstOffset} left out here, not elsewhere`);
  }
  return records;
}

/**
 * The gap that a restore, or a loss in a lazy fsync mode, leaves: a segment of its own that has a
 * batch and no records until the next group is written to it.
 */
function gapAtEnd(segments: readonly Segment[]): Segment | null {
  const last = segments.findLast(({ isEmpty }) => !isEmpty);
  const isGap = last?.isSealed === false && last.batchCount > 0 && last.recordCount === 0;
  return isGap ? last : null;
}
