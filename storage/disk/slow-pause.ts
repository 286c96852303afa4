/** The longest pause, milliseconds. */
const pauseMsMax = 3200;

/**
 * After a call on the calling thread has had to wait for the disk, the thread pool makes all calls
 * for a while. The pause doubles if a call is slow again within as much time as the last pause
 * took. Times are milliseconds of one clock.
 */
export class SlowPause {
  private until = Number.NEGATIVE_INFINITY;
  private ms: number;

  constructor(private readonly shortestMs: number) {
    this.ms = shortestMs;
  }

  /** Whether calls should go to the thread pool now. */
  isOn(now: number): boolean {
    return now < this.until;
  }

  /** A slow call began and ended at these times: begins a pause. */
  begin(startedAt: number, endedAt: number): void {
    const isAgain = startedAt - this.until < this.ms;
    this.ms = isAgain ? Math.min(this.ms * 2, pauseMsMax) : this.shortestMs;
    this.until = endedAt + this.ms;
  }
}
