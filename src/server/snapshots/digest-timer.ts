/** Makes a cluster node record a digest of its memory every few seconds, for the other nodes. */
import type { Logger } from 'pino';
import { DiskFull, LogClosed, NotTheOwner } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';

const everyMs = 10_000;

/** Started and stopped with the snapshots of a server; `record` records a digest if one is due. */
export function digestTimer(record: () => Promise<void>, clock: Clock, log: Logger): RepeatedWork {
  return new RepeatedWork(clock, everyMs, async () => {
    try {
      await record();
    } catch (error) {
      const expected = [DiskFull, LogClosed, NotTheOwner];
      if (expected.some((each) => error instanceof each)) return;
      log.error({ err: error }, 'recording a digest of memory failed');
    }
  });
}
