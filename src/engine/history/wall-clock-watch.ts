/**
 * Whether the wall clock is trusted to decide that something is old enough to delete. A clock that
 * was set ahead by mistake would delete everything, so that after a jump deletions pause and leave
 * time to notice (ADR 11). A clock that is wrong at the start cannot be detected.
 */
import type { Clock } from '../clock.js';

/** A wall clock that gains more than this on the monotonic one has jumped. */
const jumpMs = 60_000;

/** After a jump the clock is not trusted for so long, unless it is set back before. */
const pauseMs = 3_600_000;

/**
 * Made when the server starts, for those that delete by age: what the wall clock says then is
 * trusted. Several may ask one.
 */
export class WallClockWatch {
  /** The lead of the wall clock over the monotonic one that is trusted, milliseconds. */
  private trustedAhead: number;
  /** On the monotonic clock; null = there was no jump. */
  private jumpedAt: number | null = null;

  constructor(private readonly clock: Clock) {
    this.trustedAhead = this.ahead;
  }

  /** Reads both clocks; call it at least once a minute. */
  isTrusted(): boolean {
    const { ahead } = this;
    const jumped = ahead - this.trustedAhead > jumpMs;
    if (!jumped) this.jumpedAt = null;
    else this.jumpedAt ??= this.clock.monotonic();
    const isOver = this.jumpedAt !== null && this.clock.monotonic() - this.jumpedAt >= pauseMs;
    if (isOver) this.jumpedAt = null;
    // Slow drift is no jump, and a clock that went back is trusted at once: it deletes nothing.
    if (!jumped || isOver) this.trustedAhead = ahead;
    return !jumped || isOver;
  }

  private get ahead(): number {
    return this.clock.now() - this.clock.monotonic();
  }
}
