/** Seals the journal now and then, so that a quiet one has a head, too (ADR 40). */
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import type { Journal } from '../../engine/journal.js';

/** A clock that is set does not keep a seal away for longer than this. */
const lookEveryMsMax = 60_000;

/** A seal that fails is logged and tried again at the next look. */
export class JournalSealRunner {
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private looking: Promise<void> = Promise.resolve();
  private readonly startedAt: number;

  /** What was recorded `everyMs` after the last seal, or later, has the journal sealed again. */
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly everyMs: number,
  ) {
    this.startedAt = clock.now();
  }

  /** Looks from now on; the first look is as far away as every later one. */
  start(): void {
    if (this.isStopped) return;
    this.cancel = this.clock.after(Math.min(this.everyMs, lookEveryMsMax), () => {
      this.looking = this.look();
      const again = () => this.start();
      this.looking.then(again, again);
    });
  }

  /** Settles when nothing is under way; nothing is sealed after this. */
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
      if (!this.isStopped) this.log.warn({ err: error }, 'the journal was not sealed');
    }
  }
}
