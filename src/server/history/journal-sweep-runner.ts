/**
 * Checks at intervals whether a sweep of the journal is worthwhile, and runs it in the background.
 * If the journal is kept for ever, only indexes drop what has expired. On a follower in a cluster,
 * it sweeps what the owner sweeps (ADR 61).
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { NotArchived } from '../../../storage/compaction/segment-archive.js';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import type { SweepRange } from '../../engine/history/journal-sweep.events.js';
import { JournalSweepMetrics } from '../../engine/history/journal-sweep.metrics.js';
import { JournalSweeper, SweepStopped } from '../../engine/history/journal-sweeper.js';
import { WallClockWatch } from '../../engine/history/wall-clock-watch.js';
import type { SweepReport } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';

/**
 * The longest interval between checks, so that clock jumps are noticed and expired data is found.
 */
const lookEveryMsMax = 10_000;

/** With a short retention, there are this many checks per retention time. */
const looksPerRetention = 8;

/**
 * A sweep reads all of the old journal before it removes anything. So after one that failed, e.g.
 * because the archive is gone, the next one begins so many times its duration later.
 */
const pauseFactor = 10;
const pauseMsMax = 600_000;

const warning = 'journal sweeps';

/** The reason in an operator's words; the log has the details. */
function reasonOf(error: unknown): string {
  const isArchive = error instanceof NotArchived;
  return isArchive ? 'it cannot be copied to STEPWELL_ARCHIVE_DIR' : 'see the log';
}

/**
 * A sweep that fails is counted, logged, and reported as a warning in the server's status until one
 * succeeds.
 */
@Injectable()
export class JournalSweepRunner {
  private readonly wallClock: WallClockWatch;
  private isStopped = false;
  /** No sweep begins before this, by the monotonic clock. */
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private cancel: () => void = () => undefined;

  /** What is older than this may be removed, in ms; null if nothing is removed. */
  private readonly retentionMs: number | null;

  constructor(
    private readonly sweeper: JournalSweeper,
    private readonly life: ProcessLife,
    private readonly metrics: JournalSweepMetrics,
    @Inject(provided.config) config: Pick<Config, 'logRetentionMs' | 'journalRetention'>,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.retentionMs = config.journalRetention === 'forever' ? null : config.logRetentionMs;
    this.wallClock = new WallClockWatch(clock);
  }

  /** Starts checking; the first check has the same delay as the others. */
  start(): void {
    if (this.isStopped) return;
    const retentionMs = this.retentionMs ?? Number.POSITIVE_INFINITY;
    const delayMs = Math.min(retentionMs / looksPerRetention, lookEveryMsMax);
    this.cancel = this.clock.after(delayMs, () => {
      this.look();
      this.start();
    });
  }

  /** Settles when no sweep is in progress; none begins after that. */
  stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    return this.sweeper.stop();
  }

  /**
   * Called when the event that memory folded last says that the owner begins a sweep. If a sweep is
   * still in progress here, this one is skipped: the next one removes what it would have removed.
   */
  follow(range: SweepRange): void {
    void this.run(() => this.sweeper.follow(range));
  }

  /**
   * Checks the clocks also while a sweep is in progress, so that its duration does not count as a
   * jump.
   */
  private look(): void {
    // A clock set ahead by mistake would have everything removed.
    if (!this.wallClock.isTrusted()) return;
    const { sweeper, retentionMs } = this;
    const at = this.clock.now();
    const isPaused = this.clock.monotonic() < this.pausedUntil;
    if (retentionMs === null || isPaused) void this.run(() => sweeper.forget(at));
    else void this.run(() => sweeper.sweep(at - retentionMs, at));
  }

  private async run(sweep: () => Promise<SweepReport | null>): Promise<void> {
    const startedAt = this.clock.monotonic();
    try {
      const outcome = await sweep();
      if (outcome === null) return;
      const durationMs = this.clock.monotonic() - startedAt;
      this.metrics.swept(outcome, this.clock.now(), durationMs);
      this.life.warn(warning, null);
      this.log.info({ ...outcome }, 'the journal was swept');
    } catch (error) {
      if (error instanceof SweepStopped || error instanceof LogClosed) return;
      const endedAt = this.clock.monotonic();
      this.pausedUntil = endedAt + Math.min((endedAt - startedAt) * pauseFactor, pauseMsMax);
      this.metrics.failed();
      this.life.warn(warning, `the journal was not swept and grows: ${reasonOf(error)}`);
      this.log.error({ err: error }, 'the journal was not swept; the sweep will be retried');
    }
  }
}
