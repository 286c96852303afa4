/**
 * Which messages failed for good and were not taken away since: a fold over the events of messages
 * and of letters. Memory holds where a letter is found, the journal all that it says (decision 29).
 */
import type { DomainEvent, EventEnvelope } from '../engine/decider.js';
import type { Fold } from '../engine/registration.js';
import type { TurnChanges } from '../engine/turn-changes.js';
import { deadLetterId, type MessageEvent } from '../messages/message.events.js';
import type { DeadLetterEvent } from './dead-letter.events.js';

/** A message that failed for good. */
export interface DeadLetter {
  /** Its dlqId. */
  readonly id: string;
  readonly messageId: string;
  /** When it failed, Unix milliseconds. */
  readonly at: number;
  /** Journal offset of its `MessageFailed`: letters are listed in this order. */
  readonly offset: number;
  /** Journal offset of its `MessagePublished`. */
  readonly publishedOffset: number;
  /** 0 = the last attempt got no response. */
  readonly responseStatus: number;
}

export class DeadLetters implements Fold {
  private readonly letters = new Map<string, DeadLetter>();

  /**
   * A letter older than `retentionMs` counts as gone. `publishedOffset` tells where a message was
   * published while it is pending, which it still is in the eyes of a fold of its last event.
   */
  constructor(
    private readonly retentionMs: number,
    private readonly publishedOffset: (messageId: string) => number | undefined,
  ) {}

  /** Those that are remembered: letters that grow too old leave when another one comes. */
  get size(): number {
    return this.letters.size;
  }

  /** The letter with this id, if it is there at `at`. */
  find(id: string, at: number): DeadLetter | undefined {
    const letter = this.letters.get(id);
    return letter === undefined || this.isOver(letter, at) ? undefined : letter;
  }

  /** The letters that are there at `at`, oldest first. */
  all(at: number): DeadLetter[] {
    const there = [...this.letters.values()].filter((letter) => !this.isOver(letter, at));
    // A turn that was taken back may have put one in the wrong place.
    return there.sort((one, other) => one.offset - other.offset);
  }

  evolve(envelope: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    const event = envelope.event as MessageEvent | DeadLetterEvent;
    switch (event.type) {
      case 'MessageFailed':
        this.expire(envelope.at, changes);
        this.add(envelope, event.status, changes);
        return;
      case 'DeadLetterDeleted':
      case 'DeadLetterRetried':
        changes.delete(this.letters, envelope.id);
        return;
    }
  }

  private add(envelope: EventEnvelope, responseStatus: number, changes: TurnChanges): void {
    const { id: messageId, at, offset } = envelope;
    const publishedOffset = this.publishedOffset(messageId);
    if (publishedOffset === undefined) throw new Error(`${messageId} failed but was not pending`);
    const id = deadLetterId(envelope);
    changes.set(this.letters, id, { id, messageId, at, offset, publishedOffset, responseStatus });
  }

  private expire(at: number, changes: TurnChanges): void {
    for (const letter of this.letters.values()) {
      if (!this.isOver(letter, at)) return;
      changes.delete(this.letters, letter.id);
    }
  }

  private isOver(letter: DeadLetter, at: number): boolean {
    return letter.at + this.retentionMs <= at;
  }
}
