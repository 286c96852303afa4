/** Wakes the pushes that wait for messages to become final. */
import { Inject, Injectable } from '@nestjs/common';
import type { EventListener, Interest } from '../../engine/registration.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';

/** Waits are kept only in memory: a push that starts after a restart looks its messages up. */
@Injectable()
export class MessageEnds {
  /** By message id; only one push waits for each message. */
  private readonly waiting = new Map<string, () => void>();
  readonly interest: Interest<MessageEvent> = { types: {}, streams: [this.waiting] };

  constructor(@Inject(Messages) private readonly messages: Pick<Messages, 'has'>) {}

  /** Observes the events of messages. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const { id } of envelopes) if (!this.messages.has(id)) this.waiting.get(id)?.();
  };

  /**
   * Calls `wake` once when all messages are final, at once if they are already: messages that
   * became final before a restart cause no further event, so they are looked up. The returned
   * function cancels.
   */
  whenFinal(messageIds: readonly string[], wake: () => void): () => void {
    const left = new Set(messageIds.filter((id) => this.messages.has(id)));
    if (left.size === 0) wake();
    for (const id of left) {
      this.waiting.set(id, () => {
        this.waiting.delete(id);
        left.delete(id);
        if (left.size === 0) wake();
      });
    }
    return () => {
      for (const id of left) this.waiting.delete(id);
    };
  }
}
