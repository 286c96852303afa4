/** Index of the publishes of the last ten minutes that a new one may repeat; folds their events. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent, MessagePublished } from './message.events.js';

/** Counted from the first publish, delivered or not (reference: delivery semantics). */
export const deduplicationWindowMs = 600_000;

/** The fields of a message that decide whether it repeats another one. */
type Deduplicated = Pick<MessagePublished, 'deduplicationKey' | 'topicName' | 'url'>;

interface FirstPublish {
  readonly messageId: string;
  readonly at: number;
  /** Journal offset of the publish. */
  readonly offset: number;
}

/**
 * Its size is bounded by the keyed publishes of one window and by expired ones that are not yet
 * removed (`Expiring`).
 */
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

  /** The id of the message that a publish at `at` would repeat. */
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

/** Publishes made while the clock was briefly ahead also expire, once the clock is corrected. */
function isOver(first: FirstPublish, at: number): boolean {
  return Math.abs(at - first.at) >= deduplicationWindowMs;
}

/** In a URL group the key includes the endpoint: each is published to once (messaging.md 4.6). */
function keyOf({ deduplicationKey: key, topicName, url }: Deduplicated): string | null {
  return key === null || topicName === null ? key : `group ${topicName} ${url} ${key}`;
}
