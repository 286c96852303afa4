/** Reads events of messages by their journal offsets, and caches those that are delivered soon. */
import { Injectable } from '@nestjs/common';
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';
import { DamagedData } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { AttemptEvent, MessageEvent, MessageFailed, Published } from './message.events.js';
import { isPublished, messageTerms } from './recorded-events.js';

/** Messages due later are read back from the journal: memory follows the work in flight. */
const soonMs = 10_000;

/**
 * The offsets passed in must be those of such events: this is not checked. Methods reject if the
 * journal cannot be read.
 */
@Injectable()
export class StoredMessages {
  /** The events that `listener` observes. */
  readonly interest: Interest<MessageEvent> = {
    types: { MessagePublished: true, MessageDelivered: true, MessageCompleted: true },
  };

  constructor(private readonly payloads: Payloads) {}

  /** Keeps messages that are due soon in the cache until they are delivered. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const envelope of envelopes) {
      const { event, at, previous } = envelope;
      if (event.type !== 'MessagePublished') this.delivered(previous);
      else if (event.notBefore - at < soonMs) this.payloads.remember(envelope);
    }
  };

  /** The `MessagePublished` at an offset, synchronously if it is cached. */
  published(offset: number): Published | Promise<Published> {
    return this.read(offset);
  }

  /**
   * The index terms of the message that was published at an offset. Empty if the disk has damaged
   * that event: it must be possible to cancel the message nevertheless.
   */
  async termsOf(offset: number): Promise<readonly string[]> {
    try {
      return messageTerms((await this.published(offset)).event);
    } catch (error) {
      if (error instanceof DamagedData) return [];
      throw error;
    }
  }

  /** The attempt recorded at an offset, with the body of its answer. */
  attempt(offset: number): AttemptEvent | Promise<AttemptEvent> {
    return this.read(offset);
  }

  /** The `MessageFailed` at an offset, with the body of the last answer. */
  failed(offset: number): EventEnvelope<MessageFailed> | Promise<EventEnvelope<MessageFailed>> {
    return this.read(offset);
  }

  /** Forgets the publish if it directly precedes the end; it does not if attempts failed. */
  private delivered(publishedOffset: number): void {
    const published = this.payloads.peek(publishedOffset) ?? null;
    if (!isPublished(published)) return;
    const { callback, topicName } = published.event;
    // Keep it if its callback reports on it, or if messages of the same URL group share its body.
    if (callback === null && topicName === null) this.payloads.forget(publishedOffset);
  }

  /** The cast is safe: offsets come from events and indexes that know the type of their target. */
  private read<Event extends DomainEvent>(offset: number) {
    return this.payloads.read(offset) as EventEnvelope<Event> | Promise<EventEnvelope<Event>>;
  }
}
