/**
 * Where what is written becomes durable first, beyond this folder: a log that other machines read
 * too. Without one the folder is the only place.
 */
import { RecordsMissing } from '../faults/storage-errors.js';
import { type EncodedRecords, encodedFrom } from '../format/encoded-records.js';
import type { Offset } from '../offsets/offset.js';

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

/**
 * What of records that another machine has committed is not in a log that ends at `endOffset`; null
 * where all of it is. Throws `RecordsMissing` where records before them are not here.
 */
export function unfollowed(
  { baseOffset, body }: CommittedRecords,
  logName: string,
  endOffset: Offset,
): EncodedRecords | null {
  const records = encodedFrom(body, baseOffset, endOffset);
  const first = records?.firstOffset ?? endOffset;
  if (first > endOffset) {
    throw new RecordsMissing(`log ${logName} ends at ${endOffset} here, and at ${first} elsewhere`);
  }
  return records;
}
