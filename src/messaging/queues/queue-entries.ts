/**
 * Which messages stand in which queue: an index of durable events, the same now and after a
 * restart. An entry is a message from its publish until it and all its callbacks are final
 * (messaging.md 5). If a delay passes while a publish is on its way to the disk, the delayed entry
 * may come before that publish now and after it following a restart: the two were concurrent.
 */
import { Injectable } from '@nestjs/common';
import { type EventEnvelope, isCheckpoint } from '../../engine/decider.js';
import type { EventListener, IndexMemory, Interest } from '../../engine/registration.js';
import { PreImages } from '../../engine/resting/pre-images.js';
import type { MessageEvent, MessagePublished } from '../messages/message.events.js';
import { defaultSettings, type IndexedQueueEvent } from './queue.events.js';
import { QueueEntry } from './queue-entry.js';
import { QueueOrder } from './queue-order.js';
import {
  QueuesCut,
  type StoredEntry,
  type StoredQueuesPart,
  storedEntry,
} from './stored-queues.js';

type IndexedEvent = MessageEvent | IndexedQueueEvent;

/**
 * One instance per server. It follows durable events, so that no start depends on events that a
 * crash may undo.
 */
@Injectable()
export class QueueEntries {
  /** By message id. */
  private readonly entries = new Map<string, QueueEntry>();
  /** Open callbacks of entries, by their own message id. */
  private readonly callbacks = new Map<string, QueueEntry>();
  private readonly orders = new Map<string, QueueOrder>();
  private readonly images = new PreImages();
  /** The events to pass to `learn`. */
  readonly interest: Interest<IndexedEvent> = {
    types: {
      MessagePublished: ['queueName', 'callbackOf'],
      QueueCreated: true,
      QueueConfigured: true,
      QueueDeleted: true,
      Checkpointed: true,
    },
    streams: [this.entries, this.callbacks],
  };
  private pending = 0;
  readonly memory: IndexMemory<StoredQueuesPart> = {
    name: 'queue entries',
    store: () => new QueuesCut(this.orders.values(), this.entries, this.callbacks, this.images),
    restore: (part) => this.restore(part),
  };

  /** How many messages in all queues are not final. */
  get lag(): number {
    return this.pending;
  }

  /** The entry of a message; undefined = it has left its queue, or never was in one. */
  find(messageId: string): QueueEntry | undefined {
    return this.entries.get(messageId);
  }

  /** The order of a queue, even if the queue has no entries. */
  orderOf(queueName: string): QueueOrder {
    const known = this.orders.get(queueName);
    if (known !== undefined) return known;
    const order = new QueueOrder(queueName);
    this.orders.set(queueName, order);
    return order;
  }

  /** Forgets a queue that was deleted and has no entries. */
  forget({ name }: QueueOrder): void {
    this.orders.delete(name);
  }

  /** How many messages of a queue are not final. */
  lagOf(queueName: string): number {
    return this.orders.get(queueName)?.lag ?? 0;
  }

  /** How many messages of each queue are not final. */
  *lags(): Generator<readonly [queueName: string, lag: number]> {
    for (const { name, lag } of this.orders.values()) yield [name, lag];
  }

  /** The first entries of a queue, in order. */
  first(queueName: string, count: number): readonly QueueEntry[] {
    return this.orders.get(queueName)?.first(count) ?? [];
  }

  /** The messages of a queue that are not final; those that hold a slot come first. */
  pendingOf(queueName: string): readonly QueueEntry[] {
    const entries = this.orders.get(queueName)?.entries() ?? [];
    return [...entries].filter(({ isFinal }) => !isFinal);
  }

  /**
   * Learns whole durable turns in journal order. Returns the queues in which an entry may be able
   * to start that could not start before.
   */
  learn(envelopes: readonly EventEnvelope<IndexedEvent>[]): ReadonlySet<QueueOrder> {
    const touched = new Set<QueueOrder>();
    const done: QueueEntry[] = [];
    for (const { id, at, offset, event } of envelopes) {
      switch (event.type) {
        case 'MessagePublished':
          this.published(id, at, offset, event);
          break;
        case 'MessageDelivered':
        case 'MessageFailed':
        case 'MessageCompleted':
        case 'MessageCanceled':
          this.ended(id, done);
          break;
        case 'AttemptFailed':
          break;
        case 'MessageRescheduled':
          this.rescheduled(id, event.notBefore, at);
          break;
        default:
          touched.add(this.changed(id, event));
      }
    }
    // The last attempt comes before the callbacks published in its turn, so entries leave only now.
    for (const entry of done) {
      if (!entry.isDone || entry.hasLeft) continue;
      touched.add(this.remove(entry));
    }
    return touched;
  }

  /** Like `learn`, if no gate uses the index: a queue that is gone is forgotten at once. */
  readonly learnAlone: EventListener<IndexedEvent> = (envelopes) => {
    for (const order of this.learn(envelopes)) if (order.isGone) this.forget(order);
  };

  private published(id: string, at: number, offset: number, message: MessagePublished): void {
    const { queueName, notBefore, callbackOf } = message;
    if (queueName !== null) {
      const order = this.orderOf(queueName);
      const entry = new QueueEntry(id, order.name, notBefore, offset);
      this.images.note(this.entries, id, undefined);
      this.entries.set(id, entry);
      this.pending += 1;
      order.add(entry, at);
    }
    const source = callbackOf === null ? undefined : this.entries.get(callbackOf.messageId);
    if (source === undefined) return;
    source.openCallbacks += 1;
    this.images.note(this.callbacks, id, undefined);
    this.callbacks.set(id, source);
  }

  /**
   * An entry that has joined keeps its place, like one that is retried. This also holds in a
   * replay, where none of its attempts has reached the gate.
   */
  private rescheduled(id: string, joinsAt: number, at: number): void {
    const earlier = this.entries.get(id);
    if (earlier === undefined) return;
    const order = this.orderOf(earlier.queueName);
    order.admitDue(at);
    if (earlier.place !== 0) return;
    const entry = new QueueEntry(id, earlier.queueName, joinsAt, earlier.offset);
    this.changes(earlier);
    this.entries.set(id, entry);
    order.replace(earlier, entry, at);
  }

  private ended(id: string, done: QueueEntry[]): void {
    const entry = this.entries.get(id);
    if (entry !== undefined) {
      this.changes(entry);
      entry.isFinal = true;
      this.orderOf(entry.queueName).lag -= 1;
      this.pending -= 1;
      done.push(entry);
    }
    const source = this.callbacks.get(id);
    if (source === undefined) return;
    this.images.note(this.callbacks, id, source.messageId);
    this.callbacks.delete(id);
    source.openCallbacks -= 1;
    done.push(source);
  }

  private changed(id: string, event: IndexedQueueEvent): QueueOrder {
    const order = this.orderOf(id);
    const settings = isCheckpoint(event) ? event.state : event;
    order.exists = event.type !== 'QueueDeleted';
    order.settings = 'parallelism' in settings ? settings : defaultSettings;
    // Pending callbacks hold no place: a new queue of this name begins without them.
    if (!order.exists) for (const entry of order.entries()) if (entry.isFinal) this.remove(entry);
    return order;
  }

  private remove(entry: QueueEntry): QueueOrder {
    const order = this.orderOf(entry.queueName);
    this.changes(entry);
    this.entries.delete(entry.messageId);
    order.remove(entry);
    return order;
  }

  private changes(entry: QueueEntry): void {
    if (this.images.isOpen) this.images.note(this.entries, entry.messageId, storedEntry(entry));
  }

  /**
   * Restores a part of a snapshot. Items that occur twice are equal. A callback whose entry has
   * left the queue blocks nothing, so it is skipped.
   */
  private restore(part: StoredQueuesPart): void {
    if ('orders' in part) {
      for (const [name, exists, settings, lastPlace] of part.orders) {
        Object.assign(this.orderOf(name), { exists, settings, lastPlace });
      }
    } else if ('entries' in part) {
      for (const stored of part.entries) this.restoreEntry(stored);
    } else {
      for (const [messageId, entryId] of part.callbacks) {
        const entry = this.entries.get(entryId);
        if (entry === undefined || this.callbacks.has(messageId)) continue;
        entry.openCallbacks += 1;
        this.callbacks.set(messageId, entry);
      }
    }
  }

  private restoreEntry(stored: StoredEntry): void {
    const [messageId, queueName, joinsAt, offset, place, isFinal] = stored;
    if (this.entries.has(messageId)) return;
    const order = this.orderOf(queueName);
    const entry = new QueueEntry(messageId, order.name, joinsAt, offset);
    Object.assign(entry, { place, isFinal });
    this.entries.set(messageId, entry);
    if (!isFinal) this.pending += 1;
    order.restore(entry);
  }
}
