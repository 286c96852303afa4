/** The longest pause, milliseconds. */
const pauseMsMax = 3200;

/**
 * After a call on the thread that asks has had to wait for the disk, the thread pool makes all
 * calls for a while: twice as long as before where a call is slow again before as much time has
 * passed as the pause took. Times are milliseconds of one clock.
 */
export class SlowPause {
  private until = Number.NEGATIVE_INFINITY;
  private ms: number;

  constructor(private readonly shortestMs: number) {
    this.ms = shortestMs;
  }

  /** Whether calls are left to the thread pool now. */
  isOn(now: number): boolean {
    return now < this.until;
  }

  /** A call was slow that began and ended then. */
  begin(startedAt: number, endedAt: number): void {
    const isAgain = startedAt - this.until < this.ms;
    this.ms = isAgain ? Math.min(this.ms * 2, pauseMsMax) : this.shortestMs;
    this.until = endedAt + this.ms;
  }
}
