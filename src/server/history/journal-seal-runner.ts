/** Seals the journal at intervals, so that a quiet journal gets a head, too (ADR 40). */
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import type { Journal } from '../../engine/journal.js';

/** Setting the clock does not delay a seal for longer than this. */
const lookEveryMsMax = 60_000;

/** A seal that fails is logged and retried at the next check. */
export class JournalSealRunner {
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private looking: Promise<void> = Promise.resolve();
  private readonly startedAt: number;

  /** Seals the journal if anything was recorded since the last seal and that is `everyMs` ago. */
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly everyMs: number,
  ) {
    this.startedAt = clock.now();
  }

  /** Starts checking; the first check has the same delay as every later one. */
  start(): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(Math.min(this.everyMs, lookEveryMsMax), () => {
      this.looking = this.look();
      const again = () => this.start();
      this.looking.then(again, again);
    });
  }

  /** Settles when no check is in progress; nothing is sealed after that. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.looking.catch(() => undefined);
  }

  private async look(): Promise<void> {
    const { journal, clock, everyMs } = this;
    const sealed = journal.segments.findLast(({ isSealed }) => isSealed);
    const isDue = clock.now() - (sealed?.latestTime ?? this.startedAt) >= everyMs;
    if (!isDue || (sealed?.nextOffset ?? 0) === journal.highWatermark) return;
    try {
      await journal.seal();
    } catch (error) {
      if (!this.isStopped) this.log.warn({ err: error }, 'sealing the journal failed');
    }
  }
}
