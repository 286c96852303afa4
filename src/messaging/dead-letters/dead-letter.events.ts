/** The events of a dead letter after its message failed; the id is its dlqId. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of dead letters. */
export const deadLetterKind = 'dead-letter';

/** A user deleted the letter. */
export interface DeadLetterDeleted extends DomainEvent {
  readonly type: 'DeadLetterDeleted';
}

/** The message was published anew, under another id. */
export interface DeadLetterRetried extends DomainEvent {
  readonly type: 'DeadLetterRetried';
  readonly messageId: string;
}

/** All events of the stream of a letter; there is at most one. */
export type DeadLetterEvent = DeadLetterDeleted | DeadLetterRetried;
