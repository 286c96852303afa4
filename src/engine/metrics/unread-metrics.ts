/** Says in the log that the metrics cannot be read: once, until they can be again. */
import type { Logger } from 'pino';

/** One for each reader that goes on without them. */
export class UnreadMetrics {
  private isSaid = false;

  /** `consequence`: what follows for those who look at what this reader makes of them. */
  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly consequence: string,
  ) {}

  /** They could not be read now. */
  failed(error: unknown): void {
    if (!this.isSaid) {
      this.log.warn({ err: error }, `the metrics could not be read: ${this.consequence}`);
    }
    this.isSaid = true;
  }

  /** They were read. */
  succeeded(): void {
    this.isSaid = false;
  }
}
