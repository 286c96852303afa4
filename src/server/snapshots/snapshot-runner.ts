/**
 * Makes snapshots in the background when there is enough for one, and at a clean stop; and has them
 * checked.
 */
import type { Logger } from 'pino';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { type MemoryCheck, MemoryDiffers } from '../../engine/snapshots/memory-check.js';
import { type SnapshotKeeper, SnapshotStopped } from '../../engine/snapshots/snapshot-keeper.js';
import type { SnapshotMetrics } from './snapshot.metrics.js';

const lookEveryMs = 1000;

/** A start has other work for its processors, so snapshots are checked later. */
const uncheckedMs = 60_000;

/** The delay of the next try after a failure. */
const failedMs = 60_000;

/** A clean stop makes a snapshot if a start would have to fold more than this. */
const stopBytesMin = 1024 * 1024;

/** One instance per server. A snapshot that fails is logged, counted, and retried after a while. */
export class SnapshotRunner {
  private isStarted = false;
  private isStopped = false;
  private isChecking = false;
  /** Monotonic, in ms. */
  private checksAt = Number.POSITIVE_INFINITY;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly keeper: SnapshotKeeper,
    private readonly check: MemoryCheck,
    private readonly clock: Clock,
    private readonly metrics: SnapshotMetrics,
    private readonly hasRoom: () => boolean,
    private readonly log: Logger,
  ) {}

  /**
   * Checks at intervals from now on; checks of snapshots begin later, so that a start is not
   * slowed.
   */
  start(): void {
    this.isStarted = true;
    this.checksAt = this.clock.monotonic() + uncheckedMs;
    this.again(lookEveryMs);
  }

  /** Makes a last snapshot, if that is worthwhile and the server has served; `cut` aborts it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.check.stop();
    const isWorthIt = this.isStarted && this.keeper.unfoldedBytes >= stopBytesMin;
    if (isWorthIt && this.hasRoom()) await this.make(true);
    await this.keeper.stop();
  }

  /** Aborts work in progress: the next start has to fold more. */
  cut(): void {
    void this.keeper.cutOff();
  }

  /** Called if memory may be wrong: makes a snapshot and has it checked, without pauses. */
  async prove(): Promise<void> {
    if (!this.isStarted || this.isStopped || !this.hasRoom()) return;
    if ((await this.make()) && !this.isChecking) await this.checkLatest(1);
  }

  private again(delayMs: number): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(delayMs, () => {
      void this.look().then((isFine) => this.again(isFine ? lookEveryMs : failedMs));
    });
  }

  private async look(): Promise<boolean> {
    const isFine = this.keeper.isDue && this.hasRoom() ? await this.make() : true;
    const mayCheck = !this.isChecking && this.clock.monotonic() >= this.checksAt;
    if (mayCheck) void this.checkLatest();
    return isFine;
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
      if (isExpected(error)) return true;
      this.metrics.failed();
      this.log.error({ err: error }, 'making a snapshot failed; starts use the previous one');
      return false;
    }
  }

  /** May take any time: snapshots are still made meanwhile. */
  private async checkLatest(share?: number): Promise<void> {
    this.isChecking = true;
    try {
      const checked = await this.check.check(share);
      if (checked === null) return;
      this.metrics.checked();
      this.log.debug({ ...checked }, 'a snapshot is what the journal comes to');
    } catch (error) {
      if (isExpected(error)) return;
      if (error instanceof MemoryDiffers) {
        this.metrics.differed();
        this.log.error({ err: error }, 'a snapshot differs from a second fold of the journal');
      } else {
        this.metrics.checkFailed();
        this.log.error({ err: error }, 'a snapshot could not be checked');
      }
    } finally {
      this.isChecking = false;
    }
  }
}

function isExpected(error: unknown): boolean {
  return [SnapshotStopped, LogClosed, DiskFull].some((expected) => error instanceof expected);
}
