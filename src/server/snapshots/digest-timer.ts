/** Makes a cluster node record a digest of its memory every few seconds, for the other nodes. */
import type { Logger } from 'pino';
import { DiskFull, LogClosed, NotTheOwner } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';

const everyMs = 10_000;

/** One instance per server, started and stopped with its snapshots. */
export class DigestTimer {
  private cancel: () => void = () => undefined;
  private isStopped = false;

  /** `record` records a digest if one is due. */
  constructor(
    private readonly record: () => Promise<void>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** The first digest comes some seconds later. */
  start(): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(everyMs, () => {
      void this.recordOne().then(() => this.start());
    });
  }

  /** Starts no further digest. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  private async recordOne(): Promise<void> {
    try {
      await this.record();
    } catch (error) {
      const expected = [DiskFull, LogClosed, NotTheOwner];
      if (expected.some((each) => error instanceof each)) return;
      this.log.error({ err: error }, 'recording a digest of memory failed');
    }
  }
}
