/**
 * The clock of `stepwell dev`: it runs like the machine's clock, and can be moved forward. A move
 * has the same effect as if the process had slept that long: the wall clock and the monotonic clock
 * advance together, and every timer that became due fires at once, the earliest first (ADR 52).
 */
import type { Clock } from '../../engine/clock.js';

interface Timer {
  /** By the monotonic clock of the server. */
  readonly due: number;
  readonly callback: () => void;
  cancel: () => void;
}

/**
 * One instance per process of `stepwell dev`. Durations that clients and connections see are
 * measured by `outside`, which a move does not affect.
 */
export class MovableClock implements Clock {
  private readonly timers = new Set<Timer>();
  /** How far this process was moved; its monotonic clock started with it. */
  private movedMs = 0;

  /** `keptMs`: how far earlier processes of the same folder were moved. */
  constructor(
    private readonly machine: Clock,
    private readonly keptMs = 0,
  ) {}

  /** How far this clock is ahead of the machine's, in ms. */
  get aheadMs(): number {
    return this.keptMs + this.movedMs;
  }

  now(): number {
    return this.machine.now() + this.aheadMs;
  }

  monotonic(): number {
    return this.machine.monotonic() + this.movedMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const due = this.monotonic() + Math.max(0, delayMs);
    const timer: Timer = { due, callback, cancel: () => undefined };
    this.timers.add(timer);
    this.arm(timer, delayMs);
    return () => {
      this.timers.delete(timer);
      timer.cancel();
    };
  }

  /** The clock that the outside world uses: the time of day is moved, but durations are real. */
  get outside(): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.machine.monotonic(),
      after: (delayMs, callback) => this.machine.after(delayMs, callback),
    };
  }

  /** Moves the clock forward by `durationMs`, which is not negative. */
  forward(durationMs: number): void {
    this.movedMs += durationMs;
    const now = this.monotonic();
    const armed = [...this.timers].sort((one, other) => one.due - other.due);
    for (const timer of armed) {
      timer.cancel();
      this.arm(timer, timer.due - now);
    }
  }

  private arm(timer: Timer, delayMs: number): void {
    timer.cancel = this.machine.after(delayMs, () => {
      if (this.timers.delete(timer)) timer.callback();
    });
  }
}
