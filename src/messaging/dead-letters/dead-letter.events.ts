/** What can have happened to a dead letter after its message failed; its dlqId is the id. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of dead letters. */
export const deadLetterKind = 'dead-letter';

/** The operator has read it and needs it no more. */
export interface DeadLetterDeleted extends DomainEvent {
  readonly type: 'DeadLetterDeleted';
}

/** Its message was published anew, under another id. */
export interface DeadLetterRetried extends DomainEvent {
  readonly type: 'DeadLetterRetried';
  readonly messageId: string;
}

/** All events of a letter's own stream; it has one at most. */
export type DeadLetterEvent = DeadLetterDeleted | DeadLetterRetried;
