/** The true time of a simulation: due functions run in order, without waiting. */

interface Due {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A queue of future events; times are milliseconds from the start of the walk. */
export class VirtualTime {
  now = 0;
  private order = 0;
  private readonly heap: Due[] = [];

  after(delayMs: number, run: () => void): void {
    this.order += 1;
    const due: Due = { at: this.now + delayMs, order: this.order, run };
    const { heap } = this;
    let index = heap.length;
    heap.push(due);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(due, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = due;
  }

  /** Runs everything that is due until then, each at its time, with `between` after each. */
  runUntil(until: number, between: () => void): void {
    for (let first = this.heap[0]; first !== undefined && first.at <= until; first = this.heap[0]) {
      this.removeFirst();
      this.now = first.at;
      first.run();
      between();
    }
    this.now = until;
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
