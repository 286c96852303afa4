/**
 * The only source of time. Every timer goes through it, so that tests advance days in milliseconds.
 */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Monotonic milliseconds, for durations only. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs` and returns what cancels it. The timer keeps no process
   * alive.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** Node re-arms a longer timer to 1 ms (measured: setTimeout(2 ** 31) fires after 2 ms). */
const timerMsMax = 2 ** 31 - 1;

/** The wall clock and the timers of this process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), timerMsMax));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * What rings by it does so after a duration, however the wall clock is set meanwhile: its `now` is
 * that of `monotonic`.
 */
export function monotonicClock(clock: Clock): Clock {
  const now = () => clock.monotonic();
  return { now, monotonic: now, after: (delayMs, callback) => clock.after(delayMs, callback) };
}

/**
 * What a clock is corrected by as it runs, and the most by which the clocks of two owners of a
 * shared log differ, ms. A last event that is further ahead is of a clock that was wrong: to wait
 * for it could take years, in which nothing would come due.
 */
const heldMaxMs = 10_000;

/**
 * The clock that commands and events are dated by; one for each journal. It does not go back behind
 * the last event: where another node wrote that one, or the machine's clock was set back, it stands
 * still until the machine's has come as far (ADR 117).
 */
export class JournalClock implements Clock {
  /** When the last event happened, Unix milliseconds. */
  private lastAt = 0;

  constructor(
    /** What it goes by. */
    readonly machine: Clock,
  ) {}

  now(): number {
    const now = this.machine.now();
    return this.isAhead(now) ? this.lastAt : now;
  }

  monotonic(): number {
    return this.machine.monotonic();
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.machine.after(delayMs, callback);
  }

  /** These are the last events of the journal, in its order; their times are Unix milliseconds. */
  follow(events: readonly { readonly at: number }[]): void {
    const last = events.at(-1);
    if (last !== undefined && !this.isAhead(last.at)) this.lastAt = last.at;
  }

  /** Whether the last event is later than `at`, and near enough to wait for. */
  private isAhead(at: number): boolean {
    const aheadMs = this.lastAt - at;
    return aheadMs > 0 && aheadMs <= heldMaxMs;
  }
}
