/** What the clock of the server has been, as far as a test that sets it can know. */

/** A retention counts as over so long before its end: the clocks of two processes are read. */
const marginMs = 500;

export class ServerClock {
  aheadMs = 0;
  private latestMs = 0;

  /** How far ahead it has been. */
  get aheadAtMost(): number {
    return Math.max(this.aheadMs, this.latestMs - Date.now());
  }

  now(): number {
    const now = Date.now() + this.aheadMs;
    this.latestMs = Math.max(this.latestMs, now);
    return now;
  }

  /** Whether what happened at `at` or later is not older than `retentionMs`, and never was. */
  isWithin(at: number, retentionMs: number): boolean {
    this.now();
    return at > this.latestMs - retentionMs + marginMs;
  }
}
