/** Who waits for messages to be final, told as soon as they are: an index over their events. */
import type { EventListener } from '../../engine/subscribers.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';

export class MessageEnds {
  /** By message id: one push alone waits for it. */
  private readonly waiting = new Map<string, () => void>();

  /** `isPending` tells of a message whether it was published and is not final. */
  constructor(private readonly isPending: (messageId: string) => boolean) {}

  /** Joins the engine as a listener. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const { id } of envelopes) if (!this.isPending(id)) this.waiting.get(id)?.();
  };

  /**
   * Calls `wake` once when all messages are final, at once if they are. What a restart finds final
   * has no event any more: it is looked up. The answer cancels.
   */
  whenFinal(messageIds: readonly string[], wake: () => void): () => void {
    const left = new Set(messageIds.filter((id) => this.isPending(id)));
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
