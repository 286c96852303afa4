/** Compacts logs one at a time, because each pass needs memory for the keys that it has seen. */
import { Injectable } from '@nestjs/common';
import type { CompactionReport } from '../../../storage/compaction/compaction.js';
import { Slots } from '../../../storage/disk/in-parallel.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { sealUpTo } from './sealed-part.js';

/** What to compact. */
export interface CompactionRange {
  /** Records below this offset. */
  readonly until: number;
  /** Tombstones written before this time are removed too, Unix milliseconds. */
  readonly tombstonesBefore: number;
}

/**
 * One instance for the server: compactions of topics and of the server's own logs wait for each
 * other.
 */
@Injectable()
export class LogCompactions {
  private readonly slots = new Slots(1);

  /**
   * Compacts a log. Rejects with `LogClosed` if the log is closed or dropped, or with the error
   * that occurred.
   */
  run(log: PartitionLog, range: CompactionRange): Promise<CompactionReport> {
    return this.slots.run(async () => {
      await sealUpTo(log, range.until);
      return log.compact(range);
    });
  }
}
