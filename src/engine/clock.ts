/**
 * The only source of time. Every timer goes through it, so that tests advance days in milliseconds.
 */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Monotonic milliseconds, for durations only. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs` and returns a function that cancels it. The timer keeps
   * no process alive.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** Node re-arms a longer timer to 1 ms (measured: setTimeout(2 ** 31) fires after 2 ms). */
const timerMsMax = 2 ** 31 - 1;

/** A timer that is later than this rings in a process that stood still. */
const standstillMs = 100;

/**
 * The wall clock and the timers of this process. Node runs timers before it reads sockets, so a
 * timer that is late lets the sockets be read first: what others sent in time counts (ADR 126).
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const ms = Math.min(Math.max(delayMs, 0), timerMsMax);
    const lateFrom = performance.now() + ms + standstillMs;
    let cancelRead: (() => void) | null = null;
    const timer = setTimeout(() => {
      if (performance.now() < lateFrom) callback();
      else cancelRead = afterReading(callback);
    }, ms);
    timer.unref();
    return () => {
      clearTimeout(timer);
      cancelRead?.();
    };
  },
};

/**
 * Calls back once everything that has arrived by now is read, unless the returned function is
 * called before. A request on a new connection takes two rounds of the event loop: one accepts the
 * connection, the next reads from it.
 */
export function afterReading(callback: () => void): () => void {
  let round = setImmediate(() => {
    round = setImmediate(callback);
  });
  return () => clearImmediate(round);
}

/** Resolves after `ms`. */
export function sleep(clock: Pick<Clock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/**
 * A clock whose `now` is that of `monotonic`: alarms set by it ring after a duration, however the
 * wall clock is set meanwhile.
 */
export function monotonicClock(clock: Clock): Clock {
  const now = () => clock.monotonic();
  return { now, monotonic: now, after: (delayMs, callback) => clock.after(delayMs, callback) };
}

/**
 * By how much, in ms, a running clock is corrected, or the clocks of two owners of a shared log
 * differ, at most. A last event further ahead than this came from a wrong clock: waiting for it
 * could take years, in which nothing would come due.
 */
const heldMaxMs = 10_000;

/**
 * The clock that dates commands and events; one per journal. It never goes back behind the last
 * event: if another node wrote that event, or the machine's clock was set back, this clock stands
 * still until the machine's clock has caught up (ADR 117).
 */
export class JournalClock implements Clock {
  /** When the last event happened, Unix milliseconds. */
  private lastAt = 0;

  constructor(
    /** The clock that it follows. */
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

  /** Notes the last events of the journal, in its order; their times are Unix milliseconds. */
  follow(events: readonly { readonly at: number }[]): void {
    const last = events.at(-1);
    if (last !== undefined && !this.isAhead(last.at)) this.lastAt = last.at;
  }

  /** Whether the last event is later than `at`, but near enough to wait for. */
  private isAhead(at: number): boolean {
    const aheadMs = this.lastAt - at;
    return aheadMs > 0 && aheadMs <= heldMaxMs;
  }
}
