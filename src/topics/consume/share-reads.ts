/** Reads the partitions that a session owns, a fair share of each. */
import { Injectable } from '@nestjs/common';
import { DamagedOffsets } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import type { OwnedPartition } from '../sessions/positions.js';
import { StartPositions } from '../sessions/start-positions.js';
import { SharedReads } from '../topics/shared-reads.js';
import { TopicLogs } from '../topics/topic-logs.js';

/** The largest size of a read. */
export interface ReadTerms {
  readonly maxRecords: number;
  /** Bytes of keys and values; one record is always returned. */
  readonly maxBytes: number;
  /** A longer single record is not read, which `isLongNext` reports. */
  readonly oneBytesMax?: number;
}

/**
 * What was read from one partition; it is used only if the partition is still owned and no seek has
 * moved it.
 */
export interface PartitionRead {
  readonly own: OwnedPartition;
  readonly from: number;
  /** Where reading continues afterwards. */
  readonly next: number;
  readonly records: readonly LogRecord[];
}

/** What was read from all partitions. */
export interface ShareRead {
  readonly parts: readonly PartitionRead[];
  /** Whether the first record was longer than `oneBytesMax`. */
  readonly isLongNext: boolean;
  /** Whether more records exist, but `maxBytes` was reached. */
  readonly isCut: boolean;
}

/** The share of one partition. */
interface Share {
  readonly records: number;
  /** Bytes of keys and values. */
  readonly bytes: number;
  /** The size limit of the first record, if no partition has returned one yet; 0 = one has. */
  readonly oneBytesMax: number;
}

/** The result of reading one partition. */
interface TakenShare {
  readonly part: PartitionRead;
  readonly isLongNext: boolean;
  readonly isCut: boolean;
}

/**
 * One instance for the server. The caller hands out the result in the session's positions as soon
 * as a read returns.
 */
@Injectable()
export class ShareReads {
  constructor(
    private readonly starts: StartPositions,
    private readonly logs: TopicLogs,
    private readonly reads: SharedReads,
  ) {}

  /**
   * Every partition with records gets a fair share; what one partition leaves goes to the next.
   * Damage at a position is thrown only if the other partitions have nothing to return, so it
   * blocks none of them.
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

  /** Reads up to `share` from one partition. Stops before damage. */
  private async take(
    session: ConsumerSession,
    own: OwnedPartition,
    share: Share,
  ): Promise<TakenShare | DamagedOffsets | null> {
    const { log } = own;
    if (log === null) return null;
    // The position was trimmed: reading restarts as the reset policy says; without a policy it is
    // undecided.
    const isInside = own.position >= log.startOffset;
    // If another instance owns the partition by now, it decides itself where to start.
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
      // The log was trimmed or dropped meanwhile, which the next read will see.
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
