/** A timer of a node that is later than this, in ms, rings in a process that stood still. */
export const standstillMs = 1000;

/**
 * How long a node has heard no owner. Only the time in which it listened counts: a machine that
 * slept, or was moved, has heard no one, and the owner may have slept as well. Claims come only
 * later by that, and so does the service of a new owner. All times are in ms of a monotonic clock.
 */
export class Silence {
  private tickedAt: number;
  /** When the last read began that found nothing new. */
  private readAllAt = Number.NEGATIVE_INFINITY;

  /** It begins with the life of the node. */
  constructor(private from: number) {
    this.tickedAt = from;
  }

  /** When an owner was last heard; later by the time in which the process has stood still since. */
  get heardAt(): number {
    return this.from;
  }

  /** An entry of an owner was folded. */
  heard(now: number): void {
    this.from = now;
  }

  /** A read that began at `since` has found nothing new. */
  readAll(since: number): void {
    this.readAllAt = since;
  }

  /** Call it at each tick. */
  ticked(now: number): void {
    const gapMs = now - this.tickedAt;
    this.tickedAt = now;
    if (gapMs > standstillMs) this.from = Math.min(this.from + gapMs, now);
  }

  /** Whether it has lasted for `ms`, and a read that began after that has found no owner either. */
  hasLasted(ms: number, now: number): boolean {
    const until = this.from + ms;
    return now >= until && this.readAllAt >= until;
  }

  /** How long it has lasted in ms; correct also before the first tick after a standstill. */
  ms(now: number): number {
    return Math.max(0, Math.min(now, this.tickedAt + standstillMs) - this.from);
  }
}
