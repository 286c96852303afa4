/**
 * Deadlines: one heap and one timer for all of them, because a million timers cost more than a
 * million messages. Cancelled alarms stay in the heap until their time (lazy deletion).
 */
import TinyQueue from 'tinyqueue';
import type { Clock } from './clock.js';

/** A deadline that has not rung yet. */
export interface Alarm {
  readonly at: number;
  /** The alarm rings no more; its memory goes when its time comes or the heap is compacted. */
  cancel(): void;
}

/**
 * setTimeout overflows past 2^31 ms, and a wall clock may be set: look again at least each minute.
 */
const rearmMsMax = 60_000;

/**
 * A tick rings at most this many and for this long, so that 100,000 deadlines of one minute do not
 * block the loop, whatever a ring costs.
 */
const ringsPerTick = 256;
const tickMsMax = 4;

class PendingAlarm<Item> implements Alarm {
  cancelled = false;
  constructor(
    readonly at: number,
    readonly item: Item,
    private readonly clock: AlarmClock<Item>,
  ) {}

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.clock.forget();
  }
}

export class AlarmClock<Item> {
  private heap = new TinyQueue<PendingAlarm<Item>>([], (left, right) => left.at - right.at);
  private cancelledCount = 0;
  private armedFor = Number.POSITIVE_INFINITY;
  private disarm: (() => void) | null = null;

  /** `ring` is called once per alarm, at its time or as soon after it as the process lives. */
  constructor(
    private readonly clock: Clock,
    private readonly ring: (item: Item) => void,
  ) {}

  /** Rings with `item` at `at` (Unix milliseconds); a time in the past rings on the next tick. */
  set(at: number, item: Item): Alarm {
    const alarm = new PendingAlarm(at, item, this);
    this.heap.push(alarm);
    if (at < this.armedFor) this.arm();
    return alarm;
  }

  /** How many alarms wait. */
  get size(): number {
    return this.heap.length - this.cancelledCount;
  }

  /** No alarm rings after this. */
  stop(): void {
    this.disarm?.();
    this.disarm = null;
    this.heap = new TinyQueue<PendingAlarm<Item>>([], (left, right) => left.at - right.at);
    this.cancelledCount = 0;
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  /** One alarm was cancelled: rebuild the heap when most of it is dead. */
  forget(): void {
    this.cancelledCount += 1;
    if (this.cancelledCount < 1024 || this.cancelledCount * 2 < this.heap.length) return;
    const alive = this.heap.data.filter((alarm) => !alarm.cancelled);
    this.heap = new TinyQueue(alive, (left, right) => left.at - right.at);
    this.cancelledCount = 0;
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
      if (next.cancelled) {
        this.cancelledCount -= 1;
        continue;
      }
      next.cancelled = true;
      rung += 1;
      this.ring(next.item);
    }
    this.arm();
  }
}
