/** A clock that stands still until a test moves it: days pass in milliseconds. */
import type { Clock } from '../../src/engine/clock.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  private timers: Timer[] = [];
  /** What the wall clock was set ahead by. */
  private ahead = 0;

  constructor(private time = 1_767_000_000_000) {}

  now(): number {
    return this.time + this.ahead;
  }

  monotonic(): number {
    return this.time;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.time + delayMs, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** How many timers are armed. */
  get armed(): number {
    return this.timers.length;
  }

  /** When the next timer is due, Unix milliseconds; null = none is armed. */
  nextDue(): number | null {
    const first = this.first();
    return first === undefined ? null : first.at + this.ahead;
  }

  /** Time passes; every timer due on the way fires at its own moment, in order. */
  advance(durationMs: number): void {
    const until = this.time + durationMs;
    for (;;) {
      const due = this.first();
      if (due === undefined || due.at > until) break;
      this.timers = this.timers.filter((timer) => timer !== due);
      this.time = Math.max(this.time, due.at);
      due.callback();
    }
    this.time = until;
  }

  private first(): Timer | undefined {
    let first: Timer | undefined;
    // Those of one moment fire in the order in which they were armed, which is the list's.
    for (const timer of this.timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }

  /** Time passes, and the process is held up: what came due rings at the next `advance`. */
  stall(durationMs: number): void {
    this.time += durationMs;
  }

  /** Sets the wall clock, as an operator does; timers do not notice. */
  set(time: number): void {
    this.ahead = time - this.time;
  }
}
