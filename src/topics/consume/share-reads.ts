/** Reads of what a session owns, a fair share of each partition. */
import { Injectable } from '@nestjs/common';
import { DamagedOffsets } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import type { OwnedPartition } from '../sessions/positions.js';
import { StartPositions } from '../sessions/start-positions.js';
import { SharedReads } from '../topics/shared-reads.js';
import { TopicLogs } from '../topics/topic-logs.js';

/** How much is read at most. */
export interface ReadTerms {
  readonly maxRecords: number;
  /** Bytes of keys and values; one record is always given. */
  readonly maxBytes: number;
  /** A longer record is not read: `isLongNext` says so. */
  readonly oneBytesMax?: number;
}

/** What was read of one partition; it counts only if it is still owned, and no seek moved it. */
export interface PartitionRead {
  readonly own: OwnedPartition;
  readonly from: number;
  /** Where reading goes on after it. */
  readonly next: number;
  readonly records: readonly LogRecord[];
}

/** What was read of all of them. */
export interface ShareRead {
  readonly parts: readonly PartitionRead[];
  /** The first record was longer than `oneBytesMax`. */
  readonly isLongNext: boolean;
  /** `maxBytes` has kept back what is there. */
  readonly isCut: boolean;
}

/** What one partition may give. */
interface Share {
  readonly records: number;
  /** Of keys and values. */
  readonly bytes: number;
  /** Of the first record where no partition has given one; 0 = one has. */
  readonly oneBytesMax: number;
}

/** What one partition gave. */
interface TakenShare {
  readonly part: PartitionRead;
  readonly isLongNext: boolean;
  readonly isCut: boolean;
}

/** One for the server. What a read gives is handed out in the session's positions as it returns. */
@Injectable()
export class ShareReads {
  constructor(
    private readonly starts: StartPositions,
    private readonly logs: TopicLogs,
    private readonly reads: SharedReads,
  ) {}

  /**
   * Every partition that has something gets a fair share; what one leaves goes to the next. Damage
   * where one stands is thrown when the others have nothing to give: it keeps none of them waiting.
   */
  async read(session: ConsumerSession, terms: ReadTerms): Promise<ShareRead> {
    const ready = session.positions
      .rotated()
      .filter(({ log, position }) => log !== null && position >= 0 && hasMore(log, position));
    const parts: PartitionRead[] = [];
    let damage: DamagedOffsets | null = null;
    let [isLongNext, isCut] = [false, false];
    let { maxRecords, maxBytes } = terms;
    for (const [index, own] of ready.entries()) {
      if (maxRecords <= 0 || maxBytes <= 0) break;
      const left = ready.length - index;
      const isFirst = parts.every(({ records }) => records.length === 0);
      const taken = await this.take(session, own, {
        records: Math.ceil(maxRecords / left),
        bytes: Math.ceil(maxBytes / left),
        oneBytesMax: isFirst ? (terms.oneBytesMax ?? Number.POSITIVE_INFINITY) : 0,
      });
      if (taken instanceof DamagedOffsets) damage = taken;
      if (taken === null || taken instanceof DamagedOffsets) continue;
      parts.push(taken.part);
      isLongNext ||= taken.isLongNext;
      isCut ||= taken.isCut;
      maxRecords -= taken.part.records.length;
      maxBytes -= bytesOf(taken.part);
    }
    if (damage !== null && parts.every(({ records }) => records.length === 0)) throw damage;
    return { parts, isLongNext, isCut };
  }

  /** Takes up to `share`. Stops before damage. */
  private async take(
    session: ConsumerSession,
    own: OwnedPartition,
    share: Share,
  ): Promise<TakenShare | DamagedOffsets | null> {
    const { log } = own;
    if (log === null) return null;
    // Trimmed away: reading begins anew as the reset policy says; without one it is undecided.
    const isInside = own.position >= log.startOffset;
    // Another instance may own it by now, and where that begins is its own affair.
    if (!isInside && !session.positions.owns(own)) return null;
    if (!isInside && !this.starts.reset(session, own, log)) return null;
    const from = own.position;
    const records: LogRecord[] = [];
    let bytes = 0;
    let next = from;
    const taken = (isLongNext: boolean, isCut: boolean): TakenShare => {
      return { part: { own, from, next, records }, isLongNext, isCut };
    };
    for (;;) {
      const batches = await this.batchesOf(own, log, next, share.records - records.length);
      if (batches instanceof DamagedOffsets) return next === from ? batches : taken(false, false);
      for (const batch of batches) {
        for (const record of batch.records()) {
          bytes += sizeOf(record);
          const isAlone = share.oneBytesMax > 0 && records.length === 0;
          const bytesMax = isAlone ? Math.max(share.oneBytesMax, share.bytes) : share.bytes;
          if (bytes > bytesMax) return taken(isAlone, true);
          records.push(record);
          next = record.offset + 1;
        }
        next = batch.nextOffset;
      }
      const isCut = bytes >= share.bytes;
      if (records.length >= share.records || isCut || batches.length === 0) {
        return taken(false, isCut);
      }
    }
  }

  private async batchesOf(own: OwnedPartition, log: PartitionLog, from: number, records: number) {
    try {
      return await this.reads.read(log, { from, until: Number.POSITIVE_INFINITY, records });
    } catch (error) {
      if (error instanceof DamagedOffsets) return error;
      // Trimmed or dropped meanwhile: the next look sees that.
      const logs = await this.logs.logs(own.topic);
      if (logs?.[own.partition] !== log || from < log.startOffset) return [];
      throw error;
    }
  }
}

function hasMore(log: PartitionLog, position: number): boolean {
  return position < log.startOffset || log.highWatermark > position;
}

function bytesOf({ records }: PartitionRead): number {
  return records.reduce((sum, record) => sum + sizeOf(record), 0);
}

function sizeOf({ key, value }: LogRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
