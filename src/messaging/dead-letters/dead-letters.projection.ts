/**
 * Which messages failed for good and were not removed since: folded from the events of messages and
 * of letters. Memory holds only what finds a letter; the journal holds the rest (messaging.md 10).
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import { deadLetterId } from '../messages/dead-letter-id.js';
import type { Messages } from '../messages/message.entity.js';
import type { MessageEvent } from '../messages/message.events.js';
import type { DeadLetterEvent } from './dead-letter.events.js';
import type { LetterIndex, PlacedLetter } from './letter-index.js';

/** A message that failed for good. */
export interface DeadLetter extends PlacedLetter {
  readonly messageId: string;
  /** Journal offset of its `MessagePublished`. */
  readonly publishedOffset: number;
  /** 0 = the last attempt got no response. */
  readonly responseStatus: number;
}

/** Adds and removes dead letters as the events say. */
export class FailedMessages implements Fold<MessageEvent | DeadLetterEvent> {
  readonly interest: Interest<MessageEvent | DeadLetterEvent> = {
    types: { MessageFailed: true, DeadLetterDeleted: true, DeadLetterRetried: true },
  };
  readonly memory: FoldMemory;

  /** `messages`: a message is still pending when a fold sees its last event. */
  constructor(
    private readonly letters: LetterIndex<DeadLetter>,
    private readonly messages: Pick<Messages, 'find'>,
  ) {
    this.memory = letters.memory('dead letters');
  }

  references(at: number): Iterable<number> {
    return this.letters.references(at);
  }

  evolve(envelope: EventEnvelope<MessageEvent | DeadLetterEvent>, changes: TurnChanges): void {
    const { event } = envelope;
    switch (event.type) {
      case 'MessageFailed':
        this.addFailed(envelope, event.status, changes);
        return;
      case 'DeadLetterDeleted':
      case 'DeadLetterRetried':
        this.letters.take(envelope.id, changes);
        return;
    }
  }

  /** A failed message of a run is part of the letter of the run, or of none (workflows.md 4.3). */
  private addFailed(envelope: EventEnvelope, responseStatus: number, changes: TurnChanges): void {
    const { id: messageId, at, offset } = envelope;
    const message = this.messages.find(messageId);
    if (message?.state.status !== 'pending') {
      throw new Error(`${messageId} failed but was not pending`);
    }
    if (message.state.run !== null) return;
    const id = deadLetterId(envelope);
    const publishedOffset = message.firstOffset;
    this.letters.add({ id, messageId, at, offset, publishedOffset, responseStatus }, changes);
  }
}
