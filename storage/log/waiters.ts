/** Readers that wait for a log to grow: commits wake them, so that they need not poll. */
import type { Offset } from '../offsets/offset.js';

interface Waiter {
  readonly offset: Offset;
  /** Null once called or cancelled. */
  wake: (() => void) | null;
}

/** Wakes each waiter once, in its own microtask: an error that it throws fails no commit. */
export class AppendWaiters {
  /** Empty if nothing has to be woken. */
  readonly waiting = new Set<Waiter>();

  /** Calls `wake` when `wakeBelow` passes `offset`; the returned function cancels that. */
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
