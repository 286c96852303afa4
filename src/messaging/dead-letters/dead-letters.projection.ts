/**
 * Which messages failed for good and were not taken away since: a fold over the events of messages
 * and of letters. Memory holds where a letter is found, the journal all that it says
 * (messaging.md 10).
 */
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';
import type { Fold } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import { deadLetterId, type MessageEvent } from '../messages/message.events.js';
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

/** Of a message that is pending, where it was published and whether it is a run's. */
export interface Publication {
  readonly offset: number;
  readonly isOfRun: boolean;
}

/** Keeps the letters of dead letters as the events say. */
export class DeadLetters implements Fold {
  /**
   * `publicationOf` tells of a message while it is pending, which it still is in the eyes of a fold
   * of its last event.
   */
  constructor(
    private readonly letters: LetterIndex<DeadLetter>,
    private readonly publicationOf: (messageId: string) => Publication | undefined,
  ) {}

  references(at: number): Iterable<number> {
    return this.letters.references(at);
  }

  forget(at: number, changes: TurnChanges): void {
    this.letters.forget(at, changes);
  }

  evolve(envelope: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    const event = envelope.event as MessageEvent | DeadLetterEvent;
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

  /** What failed for a run is the run's own letter, or none at all (workflows.md 1.2). */
  private addFailed(envelope: EventEnvelope, responseStatus: number, changes: TurnChanges): void {
    const { id: messageId, at, offset } = envelope;
    const publication = this.publicationOf(messageId);
    if (publication === undefined) throw new Error(`${messageId} failed but was not pending`);
    if (publication.isOfRun) return;
    const id = deadLetterId(envelope);
    const publishedOffset = publication.offset;
    this.letters.add({ id, messageId, at, offset, publishedOffset, responseStatus }, changes);
  }
}
