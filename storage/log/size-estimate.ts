/** Estimates the bytes of records that were not read: each has as many as the average record. */
import type { Offset } from '../offsets/offset.js';
import type { PartitionLog } from './partition-log.js';

/** Bytes of up to `records` durable records from an offset on, each with `frameBytes` around it. */
export function likelyBytes(
  log: PartitionLog,
  from: Offset,
  records: number,
  frameBytes = 0,
): number {
  const there = Math.max(0, Math.min(records, log.highWatermark - from));
  return there * (likelyRecordBytes(log) + frameBytes);
}

/** Bytes of one record, its share of the headers included; 0 of an empty log. */
export function likelyRecordBytes(log: PartitionLog): number {
  return log.byteLength / Math.max(1, log.highWatermark - log.startOffset);
}
