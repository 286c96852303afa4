/**
 * Deadlines: one heap and one timer for all of them, because a million timers cost more than a
 * million messages. A moved or cancelled deadline stays in the heap until its time (lazy deletion).
 */
import TinyQueue from 'tinyqueue';
import type { Clock } from './clock.js';

/**
 * setTimeout overflows past 2^31 ms, and a wall clock may be set: look again at least each minute.
 */
const rearmMsMax = 60_000;

/**
 * A tick rings at most this many alarms, for at most this long, so that 100,000 deadlines of one
 * minute do not block the loop, whatever a ring costs.
 */
const ringsPerTick = 256;
const tickMsMax = 4;

/** How many cancelled or moved deadlines may stay in the heap before it is rebuilt. */
const staleMin = 1024;

interface Deadline<Item> {
  /** Milliseconds of the clock. */
  readonly at: number;
  readonly item: Item;
}

/** At most one alarm for each item. */
export class AlarmClock<Item> {
  /** The alarms that will ring; if empty, there is nothing to cancel. Read only. */
  readonly deadlines = new Map<Item, Deadline<Item>>();
  private heap = heapOf<Item>([]);
  private armedFor = Number.POSITIVE_INFINITY;
  private disarm: (() => void) | null = null;

  /** `ring` is called once per alarm, at its time or as soon after it as the process lives. */
  constructor(
    private readonly clock: Clock,
    private readonly ring: (item: Item) => void,
  ) {}

  /**
   * Rings for `item` at `at` (milliseconds of the clock) instead of at a time set before; a time in
   * the past rings on the next tick.
   */
  set(item: Item, at: number): void {
    if (this.timeOf(item) === at) return;
    const deadline = { at, item };
    this.deadlines.set(item, deadline);
    this.heap.push(deadline);
    this.sweep();
    if (at < this.armedFor) this.arm();
  }

  /** Cancels the alarm of `item`, if there is one. */
  cancel(item: Item): void {
    if (this.deadlines.delete(item)) this.sweep();
  }

  /** When the alarm of `item` rings, milliseconds of the clock; undefined = it has none. */
  timeOf(item: Item): number | undefined {
    return this.deadlines.get(item)?.at;
  }

  /** How many alarms are waiting. */
  get size(): number {
    return this.deadlines.size;
  }

  /** Cancels all alarms. */
  stop(): void {
    this.disarm?.();
    this.disarm = null;
    this.deadlines.clear();
    this.heap = heapOf<Item>([]);
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  /** Rebuilds the heap when most of it is stale. */
  private sweep(): void {
    const stale = this.heap.length - this.deadlines.size;
    if (stale < staleMin || stale * 2 < this.heap.length) return;
    this.heap = heapOf([...this.deadlines.values()]);
  }

  private arm(): void {
    this.disarm?.();
    this.disarm = null;
    this.armedFor = Number.POSITIVE_INFINITY;
    const next = this.heap.peek();
    if (next === undefined) return;
    this.armedFor = next.at;
    const delayMs = Math.min(Math.max(next.at - this.clock.now(), 0), rearmMsMax);
    this.disarm = this.clock.after(delayMs, () => this.wake());
  }

  private wake(): void {
    const now = this.clock.now();
    const until = this.clock.monotonic() + tickMsMax;
    let rung = 0;
    for (let next = this.heap.peek(); next && next.at <= now; next = this.heap.peek()) {
      if (rung === ringsPerTick || this.clock.monotonic() > until) break;
      this.heap.pop();
      if (this.deadlines.get(next.item) !== next) continue;
      this.deadlines.delete(next.item);
      rung += 1;
      this.ring(next.item);
    }
    this.arm();
  }
}

function heapOf<Item>(deadlines: Deadline<Item>[]): TinyQueue<Deadline<Item>> {
  return new TinyQueue(deadlines, (left, right) => left.at - right.at);
}
