/** A question to a disk that may not answer, as that of a network file system that is away. */
import type { Timer } from '../../../storage/disk/timer.js';

/** How long an answer is waited for, milliseconds; then the last figures have to do. */
const patienceMs = 1000;

/**
 * One question is asked at a time: each that waits for a disk holds a thread of the pool, and the
 * journal needs those. While one is under way, all who ask get its answer.
 */
export class DiskQuestion<Answer> {
  private underWay: Promise<Answer | null> | null = null;

  /** `after` goes by the time of the machine. */
  constructor(
    private readonly put: () => Promise<Answer>,
    private readonly after: Timer,
  ) {}

  /** Null = the disk failed, or has had the question for a second and not answered it. */
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
