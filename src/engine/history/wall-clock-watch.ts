/**
 * Whether the wall clock may decide that something is old enough to delete. A clock set ahead by
 * mistake would delete everything, so deletions pause after a jump and leave time to notice it (ADR
 * 11). A clock that is wrong at the start cannot be detected.
 */
import type { Clock } from '../clock.js';

/** The wall clock has jumped if it gains more than this on the monotonic clock. */
const jumpMs = 60_000;

/** After a jump the clock is not trusted for this long, unless it is set back before. */
const pauseMs = 3_600_000;

/**
 * Made when the server starts, for parts that delete by age: the time of the wall clock at that
 * moment is trusted. Several parts may share one.
 */
export class WallClockWatch {
  /** The trusted lead of the wall clock over the monotonic one, milliseconds. */
  private trustedAhead: number;
  /** By the monotonic clock; null = there was no jump. */
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
    // Slow drift is not a jump; a clock that was set back is trusted at once, as it deletes
    // nothing.
    if (!jumped || isOver) this.trustedAhead = ahead;
    return !jumped || isOver;
  }

  private get ahead(): number {
    return this.clock.now() - this.clock.monotonic();
  }
}
