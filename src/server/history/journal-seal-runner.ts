/** Seals the journal at intervals, so that a quiet journal gets a head, too (ADR 40). */
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import type { Journal } from '../../engine/journal.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';

/** Setting the clock does not delay a seal for longer than this. */
const lookEveryMsMax = 60_000;

/** A seal that fails is logged and retried at the next check. */
export class JournalSealRunner {
  private readonly startedAt: number;
  private readonly looks: RepeatedWork;

  /** Seals the journal if anything was recorded since the last seal and that is `everyMs` ago. */
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly everyMs: number,
  ) {
    this.startedAt = clock.now();
    this.looks = new RepeatedWork(clock, Math.min(everyMs, lookEveryMsMax), () => this.look());
  }

  /** Starts checking; the first check has the same delay as every later one. */
  start(): void {
    this.looks.start();
  }

  /** Settles when no check is in progress; nothing is sealed after that. */
  stop(): Promise<void> {
    return this.looks.stop();
  }

  private async look(): Promise<void> {
    const { journal, clock, everyMs } = this;
    const sealed = journal.segments.findLast(({ isSealed }) => isSealed);
    const isDue = clock.now() - (sealed?.latestTime ?? this.startedAt) >= everyMs;
    if (!isDue || (sealed?.nextOffset ?? 0) === journal.highWatermark) return;
    try {
      await journal.seal();
    } catch (error) {
      if (!this.looks.isStopped) this.log.warn({ err: error }, 'sealing the journal failed');
    }
  }
}
