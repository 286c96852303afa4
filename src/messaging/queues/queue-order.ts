/**
 * The order of one queue: which entries have joined, and which of them hold a slot. The first
 * `parallelism` entries that have joined and not left hold the slots, whether they are in flight,
 * wait for a retry or only for their callbacks (messaging.md 5). Every operation costs O(log n).
 */
import TinyQueue from 'tinyqueue';
import { firstOf } from '../gates/first-of.js';
import { defaultSettings, type QueueSettings } from './queue.events.js';
import type { QueueEntry } from './queue-entry.js';

/** How many entries that left may remain in the heaps before these are swept. */
const leftBehindMin = 1024;

/** How many of the messages that hold a slot are named. */
const shownHoldersMax = 10;

const bySoonest = (a: QueueEntry, b: QueueEntry) => a.joinsAt - b.joinsAt || a.offset - b.offset;
const byPlace = (a: QueueEntry, b: QueueEntry) => a.place - b.place;

/** Created and kept by `QueueEntries`, from the first entry of a queue until the queue is gone. */
export class QueueOrder {
  settings: QueueSettings = defaultSettings;
  /** Whether a queue of this name exists; entries may outlive or precede it. */
  exists = false;
  /** Messages that are not final. */
  lag = 0;
  /** Entries that have not left. */
  size = 0;
  /** The place of the entry that joined last. */
  lastPlace = 0;
  /** Entries whose delay has not passed. */
  private delayed = new TinyQueue<QueueEntry>([], bySoonest);
  /** Entries that have joined and hold no slot. */
  private waiting = new TinyQueue<QueueEntry>([], byPlace);
  /** Entries that hold a slot, in order of place: an added entry always comes after the others. */
  private readonly holders = new Set<QueueEntry>();
  /** How many entries in the heaps have left the queue. */
  private leftBehind = 0;

  constructor(readonly name: string) {}

  /** The queue is deleted and has no entry left. */
  get isGone(): boolean {
    return !this.exists && this.size === 0;
  }

  /** Adds a message published at `at`, behind delayed entries whose delay has passed by then. */
  add(entry: QueueEntry, at: number): void {
    this.lag += 1;
    this.place(entry, at);
  }

  /** The delay of `earlier` has changed: `entry` replaces it. */
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

  /** Puts a restored entry back at its place; the settings are restored before. */
  restore(entry: QueueEntry): void {
    this.size += 1;
    if (!entry.isFinal) this.lag += 1;
    (entry.place === 0 ? this.delayed : this.waiting).push(entry);
  }

  /** Entries whose delay has passed at `at` join. */
  admitDue(at: number): void {
    for (let next = this.delayed.peek(); next && next.joinsAt <= at; next = this.delayed.peek()) {
      this.admitNext();
    }
  }

  /** The delay of `entry` has passed: it joins, behind entries whose delay passed earlier. */
  admit(entry: QueueEntry): void {
    while (entry.place === 0 && this.delayed.length > 0) this.admitNext();
  }

  /** Whether an entry that has joined holds a slot, and so may be in flight. */
  holdsSlot(entry: QueueEntry): boolean {
    this.assignSlots();
    return this.holders.has(entry);
  }

  /** How many slots are held, and by which messages; of many messages only the first are named. */
  slots(): { readonly taken: number; readonly holders: readonly string[] } {
    const first = [...this.holders].slice(0, shownHoldersMax);
    return { taken: this.holders.size, holders: first.map(({ messageId }) => messageId) };
  }

  /** The first entries in order: those with a slot, then those that joined, then delayed ones. */
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

  /** Removes an entry that is done or no longer counts. */
  remove(entry: QueueEntry): void {
    entry.hasLeft = true;
    this.size -= 1;
    if (this.holders.delete(entry)) return;
    this.leftBehind += 1;
    const standing = this.delayed.length + this.waiting.length;
    if (this.leftBehind >= leftBehindMin && this.leftBehind * 2 > standing) this.sweep();
  }

  /** Every entry that has not left: those with a slot first, the others in no particular order. */
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
