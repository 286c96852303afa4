/**
 * How far this node's clock is from that of the shared log: measured by entries of which it is
 * known that they were appended a short while ago. Pure.
 */
export class ClockSkew {
  private latest: number | null = null;

  /** By how much this node is ahead at least, milliseconds; null before the first such entry. */
  get aheadMs(): number | null {
    return this.latest;
  }

  /** The log took an entry at its time `at`, which was `withinMs` before `now` at most. */
  note(at: number, now: number, withinMs: number): void {
    const ahead = now - at;
    this.latest = ahead < 0 ? ahead : Math.max(0, ahead - withinMs);
  }
}
