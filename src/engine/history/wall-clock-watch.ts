/**
 * Whether the wall clock can be believed when it says that something is old. One that was set ahead
 * by mistake would have everything deleted, so after a jump there is time to notice (ADR 11); a
 * clock that is wrong at the start looks like one that is right.
 */
import type { Clock } from '../clock.js';

/** A wall clock that gains more than this on the monotonic one has jumped. */
const jumpMs = 60_000;

/** After a jump the clock is not believed for so long, unless it is set back before. */
const pauseMs = 3_600_000;

export class WallClockWatch {
  /** How far ahead of the monotonic clock the wall clock is believed to be. */
  private believedAhead: number;
  /** On the monotonic clock; null = there was no jump. */
  private jumpedAt: number | null = null;

  constructor(private readonly clock: Clock) {
    this.believedAhead = this.ahead;
  }

  /** Looks at the clocks; ask at least once a minute. */
  isBelieved(): boolean {
    const { ahead } = this;
    const jumped = ahead - this.believedAhead > jumpMs;
    if (!jumped) this.jumpedAt = null;
    else this.jumpedAt ??= this.clock.monotonic();
    const isOver = this.jumpedAt !== null && this.clock.monotonic() - this.jumpedAt >= pauseMs;
    if (isOver) this.jumpedAt = null;
    // A slow drift is no jump, and a clock that went back is believed at once: it deletes nothing.
    if (!jumped || isOver) this.believedAhead = ahead;
    return !jumped || isOver;
  }

  private get ahead(): number {
    return this.clock.now() - this.clock.monotonic();
  }
}
