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
