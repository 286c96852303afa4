/** Logs that the metrics cannot be read: once, until they can be read again. */
import type { Logger } from 'pino';

/** One for each reader that continues without the metrics. */
export class UnreadMetrics {
  private isSaid = false;

  /** `consequence`: what users of this reader's output will notice. */
  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly consequence: string,
  ) {}

  /** Reports that a read has failed. */
  failed(error: unknown): void {
    if (!this.isSaid) {
      this.log.warn({ err: error }, `the metrics could not be read: ${this.consequence}`);
    }
    this.isSaid = true;
  }

  /** Reports that a read has succeeded. */
  succeeded(): void {
    this.isSaid = false;
  }
}
