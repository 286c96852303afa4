/** How many messages that are not final name each flow-control key: one without any is idle. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent } from '../messages/message.events.js';

/** All messages of one key share its one text, which holds no part of the journal in memory. */
interface Count {
  readonly key: string;
  readonly messages: number;
}

/** Part of memory; what the decider of a key looks at before it lets the key go. */
export class KeyUsage implements Fold<MessageEvent> {
  /** The key of each pending message that names one: its last event does not repeat it. */
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

  /** Messages that are not final and name `key`. */
  pendingOf(key: string): number {
    return this.counts.get(key)?.messages ?? 0;
  }

  evolve({ id, event }: EventEnvelope<MessageEvent>, changes: TurnChanges): void {
    switch (event.type) {
      case 'MessagePublished':
        // One that is published again counts once.
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
