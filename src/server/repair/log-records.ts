/** The records of a log from the first to the last, whatever is between them. */
import { DamagedOffsets } from '../../../storage/faults/storage-errors.js';
import type { StoredRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';

const readBytes = 4 * 1024 * 1024;

/** Skips what is damaged, in a log that isolates damage. */
export async function* recordsOf(log: PartitionLog): AsyncGenerator<StoredRecord> {
  for (let at = log.startOffset; at < log.highWatermark; ) {
    try {
      const batches = await log.read(at, { maxBytes: readBytes });
      for (const batch of batches) yield* batch.records();
      at = batches.at(-1)?.nextOffset ?? log.highWatermark;
    } catch (error) {
      if (!(error instanceof DamagedOffsets)) throw error;
      at = error.offsets.until;
    }
  }
}
