/**
 * Shares reads of topics' logs. A new record wakes many groups that all want the same records, so
 * one read serves all of them, as large as an answer needs. The size of records not read yet is
 * estimated by the average size of the log's records.
 */
import { Injectable } from '@nestjs/common';
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';

/** The records that a reader wants. Offsets are half-open: [from, until). */
export interface SharedRead {
  readonly from: number;
  readonly until: number;
  readonly records: number;
}

/**
 * Extra bytes of a read, because it begins where an index entry points to, and ends within a batch.
 */
const fringeBytes = 20 * 1024;
/** Larger buffers would cost more to allocate and collect than their bytes cost to read. */
const readBytesMax = 128 * 1024;

/** One instance for the server. Readers share batches, and must not change them. */
@Injectable()
export class SharedReads {
  /** The reads in progress, by log and by what they read. */
  private readonly underWay = new Map<PartitionLog, Map<string, Promise<RecordBatch[]>>>();

  /**
   * Batches from `from` on, clipped to the wanted range: often fewer records, and an empty list if
   * there is nothing. Rejects like `PartitionLog.read`.
   */
  async read(log: PartitionLog, { from, until, records }: SharedRead): Promise<RecordBatch[]> {
    const end = Math.min(until, log.highWatermark);
    const name = `${from}-${end}/${records}`;
    const ofLog = this.underWay.get(log) ?? new Map<string, Promise<RecordBatch[]>>();
    const others = ofLog.get(name);
    if (others !== undefined) return others;
    const options = {
      until: end,
      maxRecords: records,
      maxBytes: bytesOf(log, records),
      once: true,
    };
    const read = log.read(from, options);
    this.underWay.set(log, ofLog.set(name, read));
    try {
      return await read;
    } finally {
      ofLog.delete(name);
      if (ofLog.size === 0) this.underWay.delete(log);
    }
  }
}

/** Estimated bytes to read for `records` records of average size. */
function bytesOf(log: PartitionLog, records: number): number {
  return Math.ceil(Math.min(records * likelyRecordBytes(log) + fringeBytes, readBytesMax));
}

/**
 * Estimated bytes of up to `records` durable records from an offset on, plus `frameBytes` for each.
 */
export function likelyBytes(
  log: PartitionLog,
  from: number,
  records: number,
  frameBytes = 0,
): number {
  const there = Math.max(0, Math.min(records, log.highWatermark - from));
  return there * (likelyRecordBytes(log) + frameBytes);
}

/** Average bytes of a record, including its share of the batch headers; 0 for an empty log. */
function likelyRecordBytes(log: PartitionLog): number {
  return log.byteLength / Math.max(1, log.highWatermark - log.startOffset);
}
