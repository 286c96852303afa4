/**
 * The clock of `stepwell dev`: it goes as the one of the machine does, and may be moved forward.
 * A move is as if the process had slept for so long: the wall clock and the monotonic one go on
 * together, and every timer that came due meanwhile rings at once, the earliest first (ADR 52).
 */
import type { Clock } from '../../engine/clock.js';

interface Timer {
  /** On the monotonic clock of the server. */
  readonly due: number;
  readonly callback: () => void;
  cancel: () => void;
}

/**
 * One for the process of `stepwell dev`. What is measured for clients and connections goes by
 * `outside`, which no move hurries.
 */
export class MovableClock implements Clock {
  private readonly timers = new Set<Timer>();
  /** What this process was moved by: its monotonic clock began with it. */
  private movedMs = 0;

  /** `keptMs`: what earlier processes of the same folder were moved by. */
  constructor(
    private readonly machine: Clock,
    private readonly keptMs = 0,
  ) {}

  /** How far this clock is ahead of that of the machine, milliseconds. */
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

  /** What the world outside lives by: the time of day is moved, durations are those that pass. */
  get outside(): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.machine.monotonic(),
      after: (delayMs, callback) => this.machine.after(delayMs, callback),
    };
  }

  /** Moves on by `durationMs`, which is not negative. */
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
