/** How many messages that are not final name each flow-control key; a key without any is idle. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent } from '../messages/message.events.js';

/** All messages of a key share one string, which keeps no part of the journal in memory. */
interface Count {
  readonly key: string;
  readonly messages: number;
}

/** A part of memory that the decider of a key reads before it forgets the key. */
export class KeyUsage implements Fold<MessageEvent> {
  /** The key of each pending message that has one, since the last event does not repeat it. */
  private readonly keys = new Map<string, string>();
  private readonly counts = new Map<string, Count>();
  readonly interest: Interest<MessageEvent> = {
    types: { MessagePublished: ['flowControl'] },
    streams: [this.keys],
  };
  readonly memory: FoldMemory = {
    name: 'key usage',
    maps: { keys: this.keys, counts: this.counts },
  };

  /** How many messages that name `key` are not final. */
  pendingOf(key: string): number {
    return this.counts.get(key)?.messages ?? 0;
  }

  evolve({ id, event }: EventEnvelope<MessageEvent>, changes: TurnChanges): void {
    switch (event.type) {
      case 'MessagePublished':
        // A message that is published again counts once.
        this.leave(id, changes);
        if (event.flowControl !== null) this.enter(id, event.flowControl.key, changes);
        return;
      case 'MessageDelivered':
      case 'MessageFailed':
      case 'MessageCompleted':
      case 'MessageCanceled':
        this.leave(id, changes);
        return;
      case 'AttemptFailed':
      case 'MessageRescheduled':
        return;
    }
  }

  private enter(id: string, name: string, changes: TurnChanges): void {
    const known = this.counts.get(name);
    const key = known?.key ?? Buffer.from(name).toString();
    changes.set(this.keys, id, key);
    changes.set(this.counts, key, { key, messages: (known?.messages ?? 0) + 1 });
  }

  private leave(id: string, changes: TurnChanges): void {
    const key = this.keys.get(id);
    if (key === undefined) return;
    changes.delete(this.keys, id);
    const messages = this.pendingOf(key) - 1;
    if (messages > 0) changes.set(this.counts, key, { key, messages });
    else changes.delete(this.counts, key);
  }
}
