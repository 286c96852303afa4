/** What a rewrite keeps of batches, and a proof that nothing else was written. */
import { crc32 } from 'node:zlib';
import type { ScannedBatch } from '../format/batch-scan.js';
import { type LogRecord, splitRecords } from '../format/record.js';
import type { BatchContent } from '../format/record-batch.js';

/** A batch with some of its records: their bytes unchanged, at the offsets that they had. */
export interface Remains {
  readonly content: BatchContent;
  readonly body: Buffer;
}

/** The batch with only the records that are kept; its append time stays. */
export function remainsOf(
  { header, body }: ScannedBatch,
  isKept: (record: LogRecord) => boolean,
): Remains {
  const kept = splitRecords(body, header.baseOffset).filter(({ record }) => isKept(record));
  if (kept.length === header.recordCount) return { content: header, body };
  const bytes = Buffer.concat(kept.map((record) => record.bytes));
  const times = kept.map(({ record }) => record.timestamp);
  const content: BatchContent = {
    bodyLength: bytes.length,
    baseOffset: header.baseOffset,
    nextOffset: header.nextOffset,
    recordCount: kept.length,
    appendTime: header.appendTime,
    maxTimestamp: times.reduce((latest, time) => Math.max(latest, time), times[0] ?? 0),
  };
  return { content, body: bytes };
}

/** Distinguishes a batch from every other by its offsets, its times and its bytes. */
export function checksumOf({ content, body }: Remains): number {
  const { baseOffset, nextOffset, recordCount, appendTime, maxTimestamp } = content;
  const fields = Float64Array.of(baseOffset, nextOffset, recordCount, appendTime, maxTimestamp);
  return crc32(body, crc32(new Uint8Array(fields.buffer)));
}

/** A checksum over the checksums of batches, in order. */
export class Fingerprint {
  private checksum = 0;

  /** Adds the next batch by its `checksumOf`. */
  add(batchChecksum: number): void {
    this.checksum = crc32(new Uint8Array(Uint32Array.of(batchChecksum).buffer), this.checksum);
  }

  /** Whether both are of the same batches in the same order, as far as a CRC-32 can tell. */
  equals(other: Fingerprint): boolean {
    return this.checksum === other.checksum;
  }
}
