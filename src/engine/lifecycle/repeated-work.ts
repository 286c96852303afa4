/** Work that a server does again and again while it runs: checks, reports, upkeep. */
import type { Clock } from '../clock.js';

/**
 * Each time begins a pause after the last one ended. A failure does not end the repetition, so the
 * work itself reports it.
 */
export class RepeatedWork {
  private hasStopped = false;
  private cancel: () => void = () => undefined;
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly pauseMs: number,
    private readonly work: () => Promise<unknown>,
  ) {}

  /** Whether `stop` was called: long work ends early then. */
  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** The first time comes after a pause. */
  start(): void {
    if (this.hasStopped) return;
    this.cancel = this.clock.after(this.pauseMs, () => this.startNow());
  }

  /** The first time is now. */
  startNow(): void {
    if (this.hasStopped) return;
    const again = () => this.start();
    this.underWay = this.work().then(again, again);
  }

  /** Begins no more; settles when the work in progress has ended. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    this.cancel();
    await this.underWay;
  }
}
