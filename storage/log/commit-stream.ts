/**
 * Where what is written becomes durable first, beyond this folder: a log that other machines read
 * too. Without one the folder is the only place.
 */
import { RecordsMissing } from '../faults/storage-errors.js';
import { type EncodedRecords, encodedFrom } from '../format/encoded-records.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';

/** Records of one log that are durable together, as they lie in a batch. */
export interface CommittedRecords {
  readonly baseOffset: Offset;
  /** Encoded as a batch's body (record.ts); the bytes may change once they are durable. */
  readonly body: Buffer;
}

/** All logs of a store whose names it `shares` commit through it, each one group at a time. */
export interface CommitStream {
  /** Whether a log of this name is the same on every machine. */
  shares(logName: string): boolean;
  /** Why this machine appends nothing of its own now; null where it does. */
  readonly refusal: Error | null;
  /** Settles once the records count for every machine; rejects where they may never: all ends. */
  append(logName: string, records: readonly CommittedRecords[]): Promise<void>;
  /** The log goes, with its name, on every machine. */
  drop(logName: string): Promise<void>;
  /** What lies below `offset` goes, on every machine. */
  trim(logName: string, offset: Offset): Promise<void>;
}

/** The stream of a log of this name; null where its folder alone makes it durable. */
export function streamOf(commits: CommitStream | null, logName: string): CommitStream | null {
  return commits?.shares(logName) === true ? commits : null;
}

/** The log that follows, as `unfollowed` looks at it. */
interface FollowingLog {
  readonly name: string;
  readonly endOffset: Offset;
}

/**
 * What of records that another machine has committed is not in `log`; null where all of it is.
 * Throws `RecordsMissing` where records before them are not here, or where they are of offsets that
 * the last of its `segments` leaves out: passed over, they would be lost.
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
 * A restore, or a loss in a lazy fsync mode, leaves offsets out in a segment of its own, which has
 * a batch and no record until what comes next is written to it.
 */
function gapAtEnd(segments: readonly Segment[]): Segment | null {
  const last = segments.findLast(({ isEmpty }) => !isEmpty);
  const isGap = last?.isSealed === false && last.batchCount > 0 && last.recordCount === 0;
  return isGap ? last : null;
}
