/**
 * Reads several positions into one answer, part by part. Each position gets a fair share of every
 * part, and what idle positions leave goes to busy ones (topics.md 3.1).
 */
import { DamagedOffsets, OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { pieceBytes, type ReadAllowance, smallAnswerBytes } from '../../http/bytes/in-flight.js';
import { likelyBytes, type SharedReads } from '../topics/shared-reads.js';
import { type PayloadEncoding, type RecordPlace, RecordTexts } from './record-text.js';
import type { RecordsPart } from './records-answer.js';

/** A position with its log. */
export interface ReadPosition extends RecordPlace {
  readonly log: PartitionLog;
  readonly offset: number;
}

/** The largest size of one answer. */
export interface AnswerBudget {
  readonly records: number;
  /** Bytes of the answer's JSON. One record is always returned, even if it alone is larger. */
  readonly bytes: number;
}

/** Bytes of the JSON around a record: the names of its fields, and its numbers. */
const frameBytes = 100;

/**
 * Created for one answer. Rejects with `DamagedOffsets` if a position that it reads is directly
 * before damage, whatever the other positions hold.
 */
export class FairRead {
  private readonly readers: readonly PositionReader[];
  private left: AnswerBudget;

  constructor(
    reads: Pick<SharedReads, 'read'>,
    cursors: readonly ReadPosition[],
    encoding: PayloadEncoding,
    private readonly budget: AnswerBudget,
  ) {
    this.left = budget;
    this.readers = cursors.map((cursor) => new PositionReader(reads, cursor, encoding));
  }

  /**
   * Yields the records that exist now, in parts of about 1 MiB; `untilTimestamp` (Unix ms) ends
   * each position before the first record of that time or later. An answer that is likely to be
   * short is read without an allowance, up to 64 KiB; so is the beginning of a long answer if no
   * allowance is available at once.
   */
  async *parts(
    untilTimestamp: number | null,
    allowance: ReadAllowance,
  ): AsyncGenerator<RecordsPart> {
    for (const reader of this.readers) await reader.bound(untilTimestamp);
    const { records, bytes } = this.budget;
    const isAllowed = this.isLikelyLong && allowance.takeNow();
    const most = isAllowed ? pieceBytes : smallAnswerBytes;
    await this.take(Math.min(bytes, most), isAllowed ? this.oneBytesMax : smallAnswerBytes);
    const isAll = bytes <= most && this.left.records < records;
    let isLast = isAll || !this.hasMore;
    if (isLast || isAllowed) yield { texts: this.flush(), isLast };
    while (!isLast) {
      await allowance.wait();
      const before = this.left.records;
      await this.take(Math.min(this.left.bytes, pieceBytes), this.oneBytesMax);
      isLast = before === this.left.records || !this.hasMore;
      yield { texts: this.flush(), isLast };
    }
  }

  private flush(): readonly RecordTexts[] {
    return this.readers.map((reader) => reader.flush());
  }

  /** The size limit of a single record: unlimited for the first one, which is always returned. */
  private get oneBytesMax(): number {
    const isGiven = this.left.records < this.budget.records;
    return isGiven ? this.left.bytes : Number.POSITIVE_INFINITY;
  }

  private get isLikelyLong(): boolean {
    const { records } = this.budget;
    const bytes = this.readers.map((reader) => reader.likelyBytes(records));
    return bytes.reduce((sum, each) => sum + each, 0) > smallAnswerBytes;
  }

  private get hasMore(): boolean {
    const { records, bytes } = this.left;
    return records > 0 && bytes > 0 && this.readers.some(({ hasMore }) => hasMore);
  }

  /** Takes up to `bytesMax` bytes, or one record of up to `oneBytesMax`. */
  private async take(bytesMax: number, oneBytesMax: number): Promise<void> {
    let { records } = this.left;
    let bytes = bytesMax;
    let busy = this.readers.filter(({ hasMore }) => hasMore);
    // A round that takes nothing is followed by a round without shares: the whole remaining budget
    // may be enough for one record.
    for (let isShared = true; busy.length > 0 && records > 0 && bytes > 0; ) {
      const parts = isShared ? busy.length : 1;
      const share = {
        records: Math.max(1, Math.floor(records / parts)),
        bytes: Math.max(1, Math.floor(bytes / parts)),
      };
      const before = records;
      for (const reader of busy) {
        if (records <= 0 || bytes <= 0) break;
        const most = {
          records: Math.min(share.records, records),
          bytes: Math.min(share.bytes, bytes),
        };
        const isFirst = records === this.left.records;
        const taken = await reader.take(most, isFirst ? oneBytesMax : 0);
        records -= taken.records;
        bytes -= taken.bytes;
      }
      // After a round in which each reader could use the whole rest, none can take any more.
      busy = parts > 1 ? busy.filter(({ hasMore }) => hasMore) : [];
      isShared = records < before;
    }
    this.left = { records, bytes: this.left.bytes - (bytesMax - bytes) };
  }
}

/** Reads the records of one position. */
class PositionReader {
  private texts: RecordTexts;
  private readonly log: PartitionLog;
  private offset: number;
  private end = 0;
  /** The minimum bytes of the next record: it is not read again for a smaller share. */
  private nextBytes = 0;

  constructor(
    private readonly reads: Pick<SharedReads, 'read'>,
    private readonly cursor: ReadPosition,
    private readonly encoding: PayloadEncoding,
  ) {
    this.log = cursor.log;
    this.offset = cursor.offset;
    this.texts = new RecordTexts(cursor, encoding);
  }

  /** Returns the records taken since the last call. */
  flush(): RecordTexts {
    const { texts } = this;
    if (texts.count > 0) this.texts = new RecordTexts(this.cursor, this.encoding);
    return texts;
  }

  get hasMore(): boolean {
    return this.offset < this.end;
  }

  likelyBytes(records: number): number {
    return likelyBytes(this.log, this.offset, records, frameBytes);
  }

  /** Sets the end of reading: the current end of the log, or `untilTimestamp`. */
  async bound(untilTimestamp: number | null): Promise<void> {
    this.end = this.log.highWatermark;
    if (untilTimestamp === null || !this.hasMore) return;
    this.end = Math.min(this.end, await this.log.offsetFor(untilTimestamp));
  }

  /**
   * Records before damage, or before records that retention has just removed, are returned first.
   * Only a reader whose own position is there gets the error.
   */
  private async read(records: number) {
    try {
      return await this.reads.read(this.log, { from: this.offset, until: this.end, records });
    } catch (error) {
      const isPlace = error instanceof DamagedOffsets || error instanceof OffsetOutOfRange;
      if (!isPlace || this.offset === this.cursor.offset) throw error;
      return [];
    }
  }

  /** Takes records up to `share`, or one record of up to `oneBytesMax` bytes. */
  async take(share: AnswerBudget, oneBytesMax: number): Promise<AnswerBudget> {
    const { texts } = this;
    const { count, byteLength } = texts;
    const bytesEnd = byteLength + share.bytes;
    let isFull = Math.max(share.bytes, oneBytesMax) < this.nextBytes;
    while (this.hasMore && !isFull) {
      const batches = await this.read(share.records - (texts.count - count));
      for (const batch of batches) {
        for (const record of batch.records()) {
          const isAlone = oneBytesMax > 0 && texts.count === count;
          isFull = !texts.add(
            record,
            isAlone ? Math.max(byteLength + oneBytesMax, bytesEnd) : bytesEnd,
          );
          this.nextBytes = isFull ? texts.refusedBytes : 0;
          if (isFull) break;
          this.offset = record.offset + 1;
        }
        if (isFull) break;
        this.offset = batch.nextOffset;
      }
      if (texts.count - count >= share.records) isFull = true;
      if (batches.length === 0) this.offset = this.end;
    }
    return { records: texts.count - count, bytes: texts.byteLength - byteLength };
  }
}
