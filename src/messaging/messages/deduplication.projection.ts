/** Which publishes of the last ten minutes a new one would repeat: a fold of `MessagePublished`. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent, MessagePublished } from './message.events.js';

/**
 * Counted from the first publish, whether it was delivered or not (reference: delivery semantics).
 */
export const deduplicationWindowMs = 600_000;

/** What of a message decides whether it repeats another one. */
type Deduplicated = Pick<MessagePublished, 'deduplicationKey' | 'topicName' | 'url'>;

interface FirstPublish {
  readonly messageId: string;
  readonly at: number;
  /** Journal offset of the publish. */
  readonly offset: number;
}

/** Bounded by the publishes with a key of one window, and those that wait to go (`Expiring`). */
export class DeduplicationIndex implements Fold<MessageEvent> {
  readonly interest: Interest<MessageEvent> = {
    types: { MessagePublished: ['deduplicationKey'] },
  };
  /** In publish order. */
  private readonly publishes = new Map<string, FirstPublish>();
  readonly memory: FoldMemory = {
    name: 'deduplication',
    maps: { publishes: this.publishes },
    inOrder: [this.publishes],
    expiring: [{ map: this.publishes, isOver }],
  };

  /** The message that one published at `at` would repeat. */
  find(message: Deduplicated, at: number): string | undefined {
    const key = keyOf(message);
    if (key === null) return undefined;
    const first = this.publishes.get(key);
    return first === undefined || isOver(first, at) ? undefined : first.messageId;
  }

  *references(at: number): Generator<number> {
    for (const first of this.publishes.values()) if (!isOver(first, at)) yield first.offset;
  }

  evolve({ id, at, offset, event }: EventEnvelope<MessageEvent>, changes: TurnChanges): void {
    if (event.type !== 'MessagePublished') return;
    const key = keyOf(event);
    if (key === null) return;
    changes.deleteInOrder(this.publishes, key);
    changes.set(this.publishes, key, { messageId: id, at, offset });
  }
}

/** What a clock that was ahead for a moment has published is over too, once that is set right. */
function isOver(first: FirstPublish, at: number): boolean {
  return Math.abs(at - first.at) >= deduplicationWindowMs;
}

/** Endpoints of a URL group are published to once each (messaging.md 4.6). */
function keyOf({ deduplicationKey: key, topicName, url }: Deduplicated): string | null {
  return key === null || topicName === null ? key : `group ${topicName} ${url} ${key}`;
}
