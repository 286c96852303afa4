/** Readers that wait for a log to grow: its commits wake them, so that none polls. */
import type { Offset } from '../offsets/offset.js';

interface Waiter {
  readonly offset: Offset;
  /** Null once it was called or cancelled. */
  wake: (() => void) | null;
}

/** Each wakes once, in a microtask of its own, so that a commit does not fail by what it throws. */
export class AppendWaiters {
  /** None of them: there is nothing to wake. */
  readonly waiting = new Set<Waiter>();

  /** Calls `wake` when `wakeBelow` is called with more than `offset`; the answer cancels that. */
  add(offset: Offset, wake: () => void): () => void {
    const waiter: Waiter = { offset, wake };
    this.waiting.add(waiter);
    return () => {
      waiter.wake = null;
      this.waiting.delete(waiter);
    };
  }

  /** Wakes readers that wait for an offset below `end`. */
  wakeBelow(end: Offset): void {
    for (const waiter of this.waiting) {
      if (waiter.offset >= end) continue;
      this.waiting.delete(waiter);
      queueMicrotask(() => {
        waiter.wake?.();
        waiter.wake = null;
      });
    }
  }

  /** Wakes all readers: the log will not grow any more. */
  wakeAll(): void {
    this.wakeBelow(Number.POSITIVE_INFINITY);
  }
}
