/**
 * A query to a disk that may not answer, for example on a network file system that is unreachable.
 */
import type { Timer } from '../../../storage/disk/timer.js';

/** How long to wait for an answer, in ms; after that, the last known values are used. */
const patienceMs = 1000;

/**
 * Sends one query at a time: each waiting query blocks a thread of the pool, and the journal needs
 * those. All callers during a query get its answer.
 */
export class DiskQuestion<Answer> {
  private underWay: Promise<Answer | null> | null = null;

  /** `after` runs on the machine's clock. */
  constructor(
    private readonly put: () => Promise<Answer>,
    private readonly after: Timer,
  ) {}

  /** The answer; null if the disk failed, or has not answered within a second. */
  ask(): Promise<Answer | null> {
    this.underWay ??= this.begin();
    return this.underWay;
  }

  private begin(): Promise<Answer | null> {
    const answer = this.put().catch(() => null);
    void answer.then(() => {
      this.underWay = null;
    });
    return new Promise((resolve) => {
      const cancel = this.after(patienceMs, () => resolve(null));
      void answer.then((found) => {
        cancel();
        resolve(found);
      });
    });
  }
}
