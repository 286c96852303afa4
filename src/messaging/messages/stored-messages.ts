/**
 * Events of messages, read back by their journal offsets. Those that are delivered soon are kept
 * in the cache.
 */
import { Injectable } from '@nestjs/common';
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';
import { DamagedData } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { AttemptEvent, MessageEvent, MessageFailed, Published } from './message.events.js';
import { isPublished, messageTerms } from './recorded-events.js';

/** What is delivered later is read back from the journal: memory follows the work in flight. */
const soonMs = 10_000;

/**
 * Offsets must be those of such events: they are believed. Rejects where the journal does not read
 * back.
 */
@Injectable()
export class StoredMessages {
  /** What `listener` observes. */
  readonly interest: Interest<MessageEvent> = {
    types: { MessagePublished: true, MessageDelivered: true, MessageCompleted: true },
  };

  constructor(private readonly payloads: Payloads) {}

  /** Keeps what is delivered soon in the cache, until it is. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const envelope of envelopes) {
      const { event, at, previous } = envelope;
      if (event.type !== 'MessagePublished') this.delivered(previous);
      else if (event.notBefore - at < soonMs) this.payloads.remember(envelope);
    }
  };

  /** The `MessagePublished` at an offset, at once where it is cached. */
  published(offset: number): Published | Promise<Published> {
    return this.read(offset);
  }

  /**
   * What the events of the message are found by that was published at an offset. None of one that
   * the disk has damaged: it must be possible to take that one back.
   */
  async termsOf(offset: number): Promise<readonly string[]> {
    try {
      return messageTerms((await this.published(offset)).event);
    } catch (error) {
      if (error instanceof DamagedData) return [];
      throw error;
    }
  }

  /** How the attempt ended that is recorded at an offset; the answer's body stands beside it. */
  attempt(offset: number): AttemptEvent | Promise<AttemptEvent> {
    return this.read(offset);
  }

  /** The `MessageFailed` at an offset; the last answer's body stands beside it. */
  failed(offset: number): EventEnvelope<MessageFailed> | Promise<EventEnvelope<MessageFailed>> {
    return this.read(offset);
  }

  /** The event before the last one is the publish, unless attempts have failed. */
  private delivered(publishedOffset: number): void {
    const published = this.payloads.peek(publishedOffset) ?? null;
    if (!isPublished(published)) return;
    const { callback, topicName } = published.event;
    // Its callback reports on it, or messages of the same URL group share its body.
    if (callback === null && topicName === null) this.payloads.forget(publishedOffset);
  }

  /** Offsets come from events and indexes that name what they point at. */
  private read<Event extends DomainEvent>(offset: number) {
    return this.payloads.read(offset) as EventEnvelope<Event> | Promise<EventEnvelope<Event>>;
  }
}
