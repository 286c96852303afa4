/** Pushes that wait for messages to be final are woken as soon as they are. */
import { Inject, Injectable } from '@nestjs/common';
import type { EventListener, Interest } from '../../engine/registration.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';

/** What waits is in memory: a push that begins after a restart looks its messages up. */
@Injectable()
export class MessageEnds {
  /** By message id: one push alone waits for it. */
  private readonly waiting = new Map<string, () => void>();
  readonly interest: Interest<MessageEvent> = { types: {}, streams: [this.waiting] };

  constructor(@Inject(Messages) private readonly messages: Pick<Messages, 'has'>) {}

  /** Observes messages. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const { id } of envelopes) if (!this.messages.has(id)) this.waiting.get(id)?.();
  };

  /**
   * Calls `wake` once when all messages are final, at once if they are. What a restart finds final
   * has no event any more: it is looked up. The answer cancels.
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
