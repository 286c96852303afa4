/** A dead letter as the API shows it (messaging.md 10): its message and its last answer. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { MessageFailed, Published } from '../messages/message.events.js';
import { type MessageObject, messageObject } from '../messages/message-object.js';
import type { DeadLetter } from './dead-letters.projection.js';
import { type LastAnswer, lastAnswer } from './last-answer.js';

/** The object of one letter in answers of `/v2/dlq`. */
export interface DeadLetterObject extends MessageObject, LastAnswer {
  readonly dlqId: string;
}

/**
 * The object of a letter. `body` is the part of the message body that may be shown; the body of the
 * response is stored beside the failure.
 */
export function deadLetterObject(
  letter: DeadLetter,
  published: Published,
  body: Buffer | null,
  failed: EventEnvelope<MessageFailed>,
): DeadLetterObject {
  return { ...messageObject(published, body), dlqId: letter.id, ...lastAnswer(failed) };
}
