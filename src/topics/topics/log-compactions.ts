/** Compacting logs, one at a time: a pass takes memory for the keys that it remembers. */
import { Injectable } from '@nestjs/common';
import type { CompactionReport, PartitionLog } from '../../../storage/log/partition-log.js';
import { sealUpTo } from './sealed-part.js';

/** What to compact. */
export interface CompactionRange {
  /** Records below this offset. */
  readonly until: number;
  /** Tombstones that were written before this time go too, Unix milliseconds. */
  readonly tombstonesBefore: number;
}

/** One for the server: topics and its own logs wait for each other. */
@Injectable()
export class LogCompactions {
  private last: Promise<unknown> = Promise.resolve();

  /** Rejects with `LogClosed` when the log is closed or dropped, or with what went wrong. */
  run(log: PartitionLog, range: CompactionRange): Promise<CompactionReport> {
    const report = this.last.then(async () => {
      await sealUpTo(log, range.until);
      return log.compact(range);
    });
    this.last = report.catch(() => undefined);
    return report;
  }
}
