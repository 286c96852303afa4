/** When batches were appended, as one rising number over all logs of a store. */

/** A fraction of a millisecond that a number of Unix milliseconds can still hold. */
const stepMs = 2 ** -11;

/**
 * Gives the groups of all logs their append times, which never fall. While the clock stands behind
 * the last one, as it was set back, they rise all the same: so a copy of a store in use can tell
 * what was appended after what (ADR 38).
 */
export class AppendTimes {
  private last = 0;

  constructor(private readonly now: () => number) {}

  /** No time from now on is before `time`, which a log has from an earlier process. */
  startFrom(time: number): void {
    this.last = Math.max(this.last, time);
  }

  /** Of a group that is about to be written: Unix milliseconds, with a fraction where needed. */
  next(): number {
    const now = this.now();
    this.last = now >= this.last ? now : this.last + stepMs;
    return this.last;
  }
}
