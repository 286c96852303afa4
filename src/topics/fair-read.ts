/**
 * Reads several positions into one answer: each has a fair share of it, and what the idle ones
 * leave goes to the busy ones (log protocol 2.11).
 */
import type { PartitionLog } from '../../storage/partition-log.js';
import { DamagedOffsets } from '../../storage/storage-errors.js';
import type { PayloadEncoding } from './payload-encoding.js';
import { type RecordPlace, type RecordsArray, RecordTexts, recordsArray } from './record-text.js';
import type { TopicAccess } from './topic-access.js';

/** A position with the log that it is in. */
export interface Cursor extends RecordPlace {
  readonly log: PartitionLog;
  readonly offset: number;
}

/** How much one answer takes. */
export interface AnswerBudget {
  readonly records: number;
  /** Of its JSON. One record is always given, even if it alone is more. */
  readonly bytes: number;
}

/** Reads what is there; `untilTimestamp` (Unix ms) ends each position before the first such one. */
export async function readFairly(
  topics: Pick<TopicAccess, 'read'>,
  cursors: readonly Cursor[],
  budget: AnswerBudget,
  encoding: PayloadEncoding,
  untilTimestamp: number | null = null,
): Promise<RecordsArray> {
  const shelves = cursors.map((cursor) => new Shelf(topics, cursor, encoding));
  for (const shelf of shelves) await shelf.bound(untilTimestamp);
  let { records, bytes } = budget;
  let busy = shelves.filter(({ hasMore }) => hasMore);
  // A round that moves nothing is followed by one without shares: what is left may be enough.
  for (let isShared = true; busy.length > 0 && records > 0 && bytes > 0; ) {
    const parts = isShared ? busy.length : 1;
    const share = {
      records: Math.max(1, Math.floor(records / parts)),
      bytes: Math.max(1, Math.floor(bytes / parts)),
    };
    const before = records;
    for (const shelf of busy) {
      if (records <= 0 || bytes <= 0) break;
      const most = {
        records: Math.min(share.records, records),
        bytes: Math.min(share.bytes, bytes),
      };
      const taken = await shelf.take(most, records === budget.records);
      records -= taken.records;
      bytes -= taken.bytes;
    }
    const hasMoved = records < before;
    busy = hasMoved || isShared ? busy.filter(({ hasMore }) => hasMore) : [];
    isShared = hasMoved;
  }
  return recordsArray(shelves.map(({ texts }) => texts));
}

/** What is taken from one position. */
class Shelf {
  readonly texts: RecordTexts;
  private readonly log: PartitionLog;
  private offset: number;
  private end = 0;

  constructor(
    private readonly topics: Pick<TopicAccess, 'read'>,
    cursor: Cursor,
    encoding: PayloadEncoding,
  ) {
    this.log = cursor.log;
    this.offset = cursor.offset;
    this.texts = new RecordTexts(cursor, encoding);
  }

  get hasMore(): boolean {
    return this.offset < this.end;
  }

  /** Reading goes as far as there is something now. */
  async bound(untilTimestamp: number | null): Promise<void> {
    this.end = this.log.highWatermark;
    if (untilTimestamp === null || !this.hasMore) return;
    this.end = Math.min(this.end, await this.log.offsetFor(untilTimestamp));
  }

  /** What lies before damage is given first; who comes to stand there is told of it. */
  private async read(records: number) {
    try {
      return await this.topics.read(this.log, { from: this.offset, until: this.end, records });
    } catch (error) {
      if (!(error instanceof DamagedOffsets) || this.texts.count === 0) throw error;
      return [];
    }
  }

  /** Takes records up to `share`; `isFirst` of the answer is taken however long it is. */
  async take(share: AnswerBudget, isFirst: boolean): Promise<AnswerBudget> {
    const { texts } = this;
    const { count, byteLength } = texts;
    const bytesEnd = byteLength + share.bytes;
    let isFull = false;
    while (this.hasMore && !isFull) {
      const batches = await this.read(share.records - (texts.count - count));
      for (const batch of batches) {
        for (const record of batch.records()) {
          const isAlone = isFirst && texts.count === 0;
          isFull = !texts.add(record, isAlone ? Number.POSITIVE_INFINITY : bytesEnd);
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
