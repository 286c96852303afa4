/** Which messages of each run are not final: a fold of the events of messages. */
import type { DomainEvent, EventEnvelope } from '../engine/decider.js';
import type { Fold } from '../engine/registration.js';
import type { TurnChanges } from '../engine/turn-changes.js';
import type { MessageEvent } from '../messages/message.events.js';

const none: readonly string[] = [];

export class PendingRunMessages implements Fold {
  private readonly messages = new Map<string, readonly string[]>();

  /**
   * `runOf` tells the run of a message while it is pending, which it still is in the eyes of a fold
   * of its last event.
   */
  constructor(private readonly runOf: (messageId: string) => string | undefined) {}

  /** The ids of a run's messages, oldest first. A failure callback belongs to no active run. */
  of(runId: string): readonly string[] {
    return this.messages.get(runId) ?? none;
  }

  evolve({ id, event }: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    const happened = event as MessageEvent;
    switch (happened.type) {
      case 'MessagePublished': {
        const { run } = happened;
        if (run === null || run.role === 'failureCallback') return;
        changes.set(this.messages, run.runId, [...this.of(run.runId), id]);
        return;
      }
      case 'AttemptFailed':
        return;
      default:
        this.remove(id, changes);
    }
  }

  private remove(messageId: string, changes: TurnChanges): void {
    const runId = this.runOf(messageId);
    if (runId === undefined) return;
    const left = this.of(runId).filter((other) => other !== messageId);
    if (left.length > 0) changes.set(this.messages, runId, left);
    else changes.delete(this.messages, runId);
  }
}
