/**
 * Reads of topics' logs, by as much at once as an answer takes: the groups that a new record wakes
 * all want the same of it, and one read is for all of them. What was not read is estimated: each
 * record has as many bytes as the average one.
 */
import { Injectable } from '@nestjs/common';
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';

/** What a reader wants of a log. Offsets are half-open: [from, until). */
export interface SharedRead {
  readonly from: number;
  readonly until: number;
  readonly records: number;
}

/** A read begins where an index points to, and ends within a batch: so much lies around. */
const fringeBytes = 20 * 1024;
/** Larger buffers cost more to make, and to collect, than their bytes take to read. */
const readBytesMax = 128 * 1024;

/** One for the server. Batches are shared among readers: they must not be changed. */
@Injectable()
export class SharedReads {
  /** Those under way, by what they read. */
  private readonly underWay = new Map<PartitionLog, Map<string, Promise<RecordBatch[]>>>();

  /**
   * Batches from `from` on, clipped to what is wanted: often fewer records, none where there is
   * nothing. Rejects as `PartitionLog.read` does.
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

/** What so many records take, if they are as long as most of the log. */
function bytesOf(log: PartitionLog, records: number): number {
  return Math.ceil(Math.min(records * likelyRecordBytes(log) + fringeBytes, readBytesMax));
}

/** Bytes of up to `records` durable records from an offset on, each with `frameBytes` around it. */
export function likelyBytes(
  log: PartitionLog,
  from: number,
  records: number,
  frameBytes = 0,
): number {
  const there = Math.max(0, Math.min(records, log.highWatermark - from));
  return there * (likelyRecordBytes(log) + frameBytes);
}

/** Bytes of one record, its share of the headers included; 0 of an empty log. */
function likelyRecordBytes(log: PartitionLog): number {
  return log.byteLength / Math.max(1, log.highWatermark - log.startOffset);
}
