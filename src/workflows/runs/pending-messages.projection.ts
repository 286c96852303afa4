/** The messages of each run that are not final: a fold of the events of messages. */
import { type EventEnvelope, keptText } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';
import type { MessageState } from '../../messaging/messages/message.state.js';
import { endsOfRunMessages } from './run-end.policy.js';

/** The messages of one run: usually one, but thousands of parallel steps publish thousands. */
type Pending = string | Map<string, true>;

/** Part of memory. Most runs have one such message and so cost one string. */
export class PendingRunMessages implements Fold<MessageEvent, MessageState> {
  readonly interest: Interest<MessageEvent> = {
    types: { MessagePublished: ['run'], ...endsOfRunMessages.types },
  };
  private readonly messages = new Map<string, Pending>();
  readonly memory: FoldMemory = {
    name: 'pending run messages',
    maps: { messages: this.messages },
  };

  /**
   * The ids of a run's messages, in no order. Failure callbacks are left out: their run has ended.
   */
  of(runId: string): readonly string[] {
    const own = this.messages.get(runId);
    if (own === undefined) return [];
    return typeof own === 'string' ? [own] : [...own.keys()];
  }

  /** Whether a run has any pending message. */
  has(runId: string): boolean {
    return this.messages.has(runId);
  }

  /** Whether the run of a message whose end is already folded has other pending messages. */
  hasOthers(ended: MessageState): boolean {
    return ended.status !== 'absent' && ended.run !== null && this.has(ended.run.runId);
  }

  evolve(
    { id, event }: EventEnvelope<MessageEvent>,
    changes: TurnChanges,
    before: MessageState,
  ): void {
    switch (event.type) {
      case 'MessagePublished': {
        const { run } = event;
        if (run === null || run.role === 'failureCallback') return;
        this.add(run.runId, id, changes);
        return;
      }
      case 'AttemptFailed':
        return;
      default:
        if (before.status === 'pending' && before.run !== null) {
          this.remove(before.run.runId, id, changes);
        }
    }
  }

  private add(runId: string, messageId: string, changes: TurnChanges): void {
    const own = this.messages.get(runId);
    if (own === messageId) return;
    if (own === undefined) {
      changes.set(this.messages, keptText(runId), messageId);
    } else if (typeof own === 'string') {
      const both = new Map<string, true>([
        [own, true],
        [messageId, true],
      ]);
      changes.set<string, Pending>(this.messages, runId, both);
    } else {
      changes.set(own, messageId, true);
    }
  }

  private remove(runId: string, messageId: string, changes: TurnChanges): void {
    const own = this.messages.get(runId);
    if (own === undefined) return;
    if (typeof own === 'string') {
      if (own === messageId) changes.delete(this.messages, runId);
      return;
    }
    changes.delete(own, messageId);
    if (own.size > 1) return;
    // A single remaining message is stored as one string again.
    const [left] = own.keys();
    if (left === undefined) changes.delete(this.messages, runId);
    else changes.set<string, Pending>(this.messages, runId, left);
  }
}
