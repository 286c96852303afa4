/** Has snapshots made in the background when there is enough for one, and at a clean stop. */
import type { Logger } from 'pino';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import {
  MemoryDiffers,
  type SnapshotKeeper,
  SnapshotStopped,
} from '../../engine/snapshots/snapshot-keeper.js';
import type { SnapshotMetrics } from './snapshot.metrics.js';

const lookEveryMs = 1000;

/** After a failure the next try is so far away. */
const failedMs = 60_000;

/** A clean stop leaves a snapshot where a start would fold more than this. */
const stopBytesMin = 1024 * 1024;

export class SnapshotRunner {
  private isStarted = false;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly keeper: SnapshotKeeper,
    private readonly clock: Clock,
    private readonly metrics: SnapshotMetrics,
    private readonly hasRoom: () => boolean,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.isStarted = true;
    this.again(lookEveryMs);
  }

  /** Makes a last one, if it is worth it and the server has served; `cut` ends that. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    while (this.isStarted && this.keeper.unfoldedBytes >= stopBytesMin && this.hasRoom()) {
      const { unfoldedBytes } = this.keeper;
      const isMade = await this.make(true);
      // What is left is of the next portion, unless none was made.
      if (!isMade || this.keeper.unfoldedBytes >= unfoldedBytes) break;
    }
    await this.keeper.stop();
  }

  /** Ends what is under way: the next start folds more. */
  cut(): void {
    void this.keeper.cut();
  }

  private again(delayMs: number): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(delayMs, () => {
      void this.look().then((isFine) => this.again(isFine ? lookEveryMs : failedMs));
    });
  }

  private async look(): Promise<boolean> {
    return this.keeper.isDue && this.hasRoom() ? this.make() : true;
  }

  private async make(standsStill = false): Promise<boolean> {
    const startedAt = this.clock.monotonic();
    try {
      const snapshot = await this.keeper.make(standsStill);
      const durationMs = Math.round(this.clock.monotonic() - startedAt);
      this.metrics.written(snapshot, this.clock.now(), durationMs);
      this.log.debug({ ...snapshot, durationMs }, 'a snapshot is written');
      return true;
    } catch (error) {
      const isExpected = [SnapshotStopped, LogClosed, DiskFull].some(
        (expected) => error instanceof expected,
      );
      if (isExpected) return true;
      if (error instanceof MemoryDiffers) this.metrics.differed();
      this.metrics.failed();
      this.log.error({ err: error }, 'no snapshot was made; starts use the one before');
      return false;
    }
  }
}
