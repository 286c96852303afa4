/**
 * The order of one queue: who has joined, and who of them holds a slot. The first `parallelism`
 * that have joined and not left hold the slots, whether they run, wait for a retry or only for
 * their callbacks (messaging.md 5). Every operation costs O(log n).
 */
import TinyQueue from 'tinyqueue';
import { firstOf } from '../gates/first-of.js';
import { defaultSettings, type QueueSettings } from './queue.events.js';
import type { QueueEntry } from './queue-entry.js';

/** So many that have left may stand in the heaps before these are swept. */
const leftBehindMin = 1024;

/** So many of those that hold a slot are named. */
const shownHoldersMax = 10;

const bySoonest = (a: QueueEntry, b: QueueEntry) => a.joinsAt - b.joinsAt || a.offset - b.offset;
const byPlace = (a: QueueEntry, b: QueueEntry) => a.place - b.place;

/** Made and kept by `QueueEntries`, from the first entry of a queue until it is gone. */
export class QueueOrder {
  settings: QueueSettings = defaultSettings;
  /** Whether a queue of this name exists; its entries may outlive it and come before it. */
  exists = false;
  /** Messages that are not final. */
  lag = 0;
  /** Entries that have not left. */
  size = 0;
  /** Of the entry that has joined last. */
  lastPlace = 0;
  /** Those whose delay has not passed. */
  private delayed = new TinyQueue<QueueEntry>([], bySoonest);
  /** Those that have joined and hold no slot. */
  private waiting = new TinyQueue<QueueEntry>([], byPlace);
  /** In the order of their places: every one that is added comes after those that are in. */
  private readonly holders = new Set<QueueEntry>();
  /** Entries in the heaps that have left. */
  private leftBehind = 0;

  constructor(readonly name: string) {}

  /** The queue is deleted and has no entry left. */
  get isGone(): boolean {
    return !this.exists && this.size === 0;
  }

  /** A message was published at `at`; an entry whose delay has passed by then comes before it. */
  add(entry: QueueEntry, at: number): void {
    this.lag += 1;
    this.place(entry, at);
  }

  /** The delay of `earlier` is another one now: `entry` stands for it. */
  replace(earlier: QueueEntry, entry: QueueEntry, at: number): void {
    this.remove(earlier);
    this.place(entry, at);
  }

  private place(entry: QueueEntry, at: number): void {
    this.size += 1;
    if (entry.joinsAt > at) {
      this.delayed.push(entry);
      return;
    }
    this.admitDue(at);
    this.join(entry);
  }

  /** Puts an entry back where it stood; an order that is restored has its settings already. */
  restore(entry: QueueEntry): void {
    this.size += 1;
    if (!entry.isFinal) this.lag += 1;
    (entry.place === 0 ? this.delayed : this.waiting).push(entry);
  }

  /** Those join whose delay has passed at `at`. */
  admitDue(at: number): void {
    for (let next = this.delayed.peek(); next && next.joinsAt <= at; next = this.delayed.peek()) {
      this.admitNext();
    }
  }

  /** The delay of `entry` has passed: it joins, behind those whose delay passed before. */
  admit(entry: QueueEntry): void {
    while (entry.place === 0 && this.delayed.length > 0) this.admitNext();
  }

  /** Whether an entry that has joined may be under way. */
  holdsSlot(entry: QueueEntry): boolean {
    this.assignSlots();
    return this.holders.has(entry);
  }

  /** How many slots are held, and by which messages; of many the first. */
  slots(): { readonly taken: number; readonly holders: readonly string[] } {
    const first = [...this.holders].slice(0, shownHoldersMax);
    return { taken: this.holders.size, holders: first.map(({ messageId }) => messageId) };
  }

  /** The first entries in their order: slots, those that have joined, those that are delayed. */
  first(count: number): readonly QueueEntry[] {
    this.assignSlots();
    const first = [...this.holders].slice(0, count);
    const stays = ({ hasLeft }: QueueEntry) => !hasLeft;
    for (const [heap, order] of [
      [this.waiting, byPlace],
      [this.delayed, bySoonest],
    ] as const) {
      const left = count - first.length;
      if (left > 0) first.push(...firstOf(heap.data.filter(stays), left, order));
    }
    return first;
  }

  /** An entry is done, or does not count any more. */
  remove(entry: QueueEntry): void {
    entry.hasLeft = true;
    this.size -= 1;
    if (this.holders.delete(entry)) return;
    this.leftBehind += 1;
    const standing = this.delayed.length + this.waiting.length;
    if (this.leftBehind >= leftBehindMin && this.leftBehind * 2 > standing) this.sweep();
  }

  /** Every entry that has not left: those that hold a slot first, the others in no order. */
  *entries(): Generator<QueueEntry> {
    yield* this.holders;
    for (const entry of this.waiting.data) if (!entry.hasLeft) yield entry;
    for (const entry of this.delayed.data) if (!entry.hasLeft) yield entry;
  }

  private admitNext(): void {
    const next = this.delayed.pop();
    if (next === undefined) return;
    if (next.hasLeft) this.leftBehind -= 1;
    else this.join(next);
  }

  private join(entry: QueueEntry): void {
    this.lastPlace += 1;
    entry.place = this.lastPlace;
    this.waiting.push(entry);
  }

  private assignSlots(): void {
    const { parallelism } = this.settings;
    if (this.holders.size > parallelism) {
      for (const entry of [...this.holders].slice(parallelism)) {
        this.holders.delete(entry);
        this.waiting.push(entry);
      }
    }
    while (this.holders.size < parallelism) {
      const next = this.waiting.pop();
      if (next === undefined) return;
      if (next.hasLeft) this.leftBehind -= 1;
      else this.holders.add(next);
    }
  }

  private sweep(): void {
    const stays = ({ hasLeft }: QueueEntry) => !hasLeft;
    this.delayed = new TinyQueue(this.delayed.data.filter(stays), bySoonest);
    this.waiting = new TinyQueue(this.waiting.data.filter(stays), byPlace);
    this.leftBehind = 0;
  }
}
