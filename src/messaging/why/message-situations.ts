/** Finds the situation of a message in memory and in the journal. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { DeadLetters } from '../dead-letters/dead-letter.entity.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import { deadLetterId } from '../messages/dead-letter-id.js';
import { Messages } from '../messages/message.entity.js';
import type { AttemptFailed, MessageEvent } from '../messages/message.events.js';
import type { PendingMessage } from '../messages/message.state.js';
import { isMessageEvent } from '../messages/recorded-events.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { MessagingSettings } from '../settings.js';
import type {
  EndedSituation,
  LastFailure,
  MessageSituation,
  PendingSituation,
} from './message-situation.js';

/** It finds ended messages as far back as the journal reaches. */
@Injectable()
export class MessageSituations {
  constructor(
    private readonly messages: Messages,
    private readonly stored: StoredMessages,
    private readonly journal: Journal,
    private readonly calls: EndpointCalls,
    private readonly deadLetters: DeadLetters,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The situation of a message now, once durable; null = the journal holds no such message. */
  async of(id: string): Promise<MessageSituation | null> {
    const pending = await this.messages.shown(() => {
      const actor = this.messages.find(id);
      if (actor?.state.status !== 'pending') return null;
      const { state, firstOffset, lastOffset } = actor;
      return { state, firstOffset, lastOffset, progress: this.calls.progressOf(id) };
    });
    if (pending === null) return this.ended(id);
    const { progress } = pending;
    return progress?.stage === 'unreadable'
      ? { status: 'unreadable' }
      : this.pending({ ...pending, progress });
  }

  private async pending({
    state,
    firstOffset,
    lastOffset,
    progress,
  }: {
    readonly state: PendingMessage;
    readonly firstOffset: number;
    readonly lastOffset: number;
    readonly progress: PendingSituation['progress'];
  }): Promise<PendingSituation> {
    const { attempts, notBefore, delivery } = state;
    const { event } = await this.stored.published(firstOffset);
    return {
      status: 'pending',
      url: event.url,
      failures: attempts,
      maxRetries: delivery.maxRetries,
      notBefore,
      timeoutMs: Math.min(event.timeoutMs ?? this.config.timeoutMs, this.config.timeoutMs),
      lastFailure: attempts === 0 ? null : lastFailure(await this.failedAttempt(lastOffset)),
      progress,
    };
  }

  /** The latest failed attempt, searched from the last event of a message; null = none failed. */
  private async failedAttempt(lastOffset: number): Promise<AttemptFailed | null> {
    for await (const envelope of this.journal.readStream(lastOffset)) {
      if (!isMessageEvent(envelope)) continue;
      if (envelope.event.type === 'AttemptFailed') return envelope.event;
    }
    return null;
  }

  private async ended(id: string): Promise<EndedSituation | null> {
    const last = await this.lastEvent(id);
    const ended = last === null ? null : await this.endedBy(last);
    if (ended === null || ended.dlqId === null) return ended;
    return { ...ended, dlqId: await this.letterThere(ended.dlqId) };
  }

  /** How a message ended, and the letter that it left; null if its last event is not its end. */
  async endedBy(last: EventEnvelope<MessageEvent>): Promise<EndedSituation | null> {
    const { at, offset, event } = last;
    switch (event.type) {
      case 'MessageDelivered':
      case 'MessageFailed': {
        const isFailed = event.type === 'MessageFailed';
        return {
          status: isFailed ? 'failed' : 'delivered',
          at,
          attempts: event.attempt + 1,
          responseStatus: event.status,
          dlqId: isFailed ? deadLetterId({ at, offset }) : null,
        };
      }
      case 'MessageCompleted':
      case 'MessageCanceled': {
        const failed = await this.failedAttempt(offset);
        const latest = event.underWay ?? failed;
        const attempts = latest === null ? 0 : latest.attempt + 1;
        // The end of its run was the answer to the last attempt, which thus did not fail.
        if (event.type === 'MessageCompleted') {
          return { status: 'delivered', at, attempts, responseStatus: 0, dlqId: null };
        }
        const responseStatus = event.underWay === undefined ? (failed?.status ?? 0) : 0;
        return { status: 'canceled', at, attempts, responseStatus, dlqId: null };
      }
      default:
        return null;
    }
  }

  /**
   * The letter if it still exists: it does not if it was retried or deleted, and failures of runs
   * leave none.
   */
  private letterThere(dlqId: string): Promise<string | null> {
    const { letters } = this.deadLetters;
    return this.deadLetters.shown(() => letters.find(dlqId, this.clock.now())?.id ?? null);
  }

  /** The latest durable event of a message, final or not; null = the journal knows none. */
  async lastEvent(id: string): Promise<EventEnvelope<MessageEvent> | null> {
    const { startOffset: from, highWatermark: until } = this.journal;
    const newest = this.journal.query({ terms: [[id]], from, until, order: 'newest' });
    for await (const envelope of newest) {
      if (isMessageEvent(envelope) && envelope.id === id) return envelope;
    }
    return null;
  }
}

function lastFailure(failed: AttemptFailed | null): LastFailure | null {
  if (failed === null) return null;
  const { status, error, startedAt } = failed;
  return { status, error, startedAt };
}
