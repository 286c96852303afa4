/** Which publishes of the last ten minutes a new one would repeat: a fold of `MessagePublished`. */
import type { DomainEvent, EventEnvelope } from '../engine/decider.js';
import type { Fold } from '../engine/registration.js';
import type { TurnChanges } from '../engine/turn-changes.js';
import type { MessageEvent } from './message.events.js';

/**
 * Counted from the first publish, whether it was delivered or not (reference: delivery semantics).
 */
export const deduplicationWindowMs = 600_000;

interface FirstPublish {
  readonly messageId: string;
  readonly at: number;
}

export class DeduplicationIndex implements Fold {
  /** In publish order, so that the oldest expire from the front. */
  private readonly publishes = new Map<string, FirstPublish>();

  /** The message that a publish with this key at `at` repeats. */
  find(key: string, at: number): string | undefined {
    const first = this.publishes.get(key);
    return first !== undefined && at < first.at + deduplicationWindowMs
      ? first.messageId
      : undefined;
  }

  evolve(envelope: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    const event = envelope.event as MessageEvent;
    if (event.type !== 'MessagePublished' || event.deduplicationKey === null) return;
    this.expire(envelope.at, changes);
    const key = event.deduplicationKey;
    changes.delete(this.publishes, key);
    changes.set(this.publishes, key, { messageId: envelope.id, at: envelope.at });
  }

  private expire(at: number, changes: TurnChanges): void {
    for (const [key, first] of this.publishes) {
      if (at < first.at + deduplicationWindowMs) return;
      changes.delete(this.publishes, key);
    }
  }
}
