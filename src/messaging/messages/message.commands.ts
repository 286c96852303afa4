/** The commands of a message. */
import type { Command } from '../../engine/decider.js';
import type { AttemptRecord, MessagePublished } from './message.events.js';

/** Accept a message; `id` is that of the new message. */
export interface PublishMessage extends Command<PublishReceipt> {
  readonly type: 'PublishMessage';
  /** The options of the message; the event itself if it has been built already. */
  readonly message: MessagePublished | Omit<MessagePublished, 'type'>;
  /** Stored beside the event, unless the message has a `bodyOffset` or shares another body. */
  readonly body: Buffer;
  /**
   * A message of the same turn with the same body, so that the body is stored once (ADR 7). If that
   * message was not accepted, this one stores its own body.
   */
  readonly sharesBodyWith: string | null;
}

/** The result of a publish: the id of its message, or that of the earlier message it repeats. */
export interface PublishReceipt {
  readonly messageId: string;
  readonly deduplicated: boolean;
}

/** Record how an attempt ended. If it is recorded already, nothing changes. */
export interface RecordAttempt extends Command {
  readonly type: 'RecordAttempt';
  readonly record: AttemptRecord;
  /** The destination forbids another attempt. */
  readonly nonRetryable: boolean;
  readonly responseBody: Buffer;
  /** `messageTerms` of the message: attempts are found by what their message was published with. */
  readonly terms: readonly string[];
}

/** Cancel a message. */
export interface CancelMessage extends Command {
  readonly type: 'CancelMessage';
  /** `messageTerms` of the message. */
  readonly terms: readonly string[];
}

/** Move the next attempt of a message to another time. An attempt that is due already stays due. */
export interface RescheduleMessage extends Command {
  readonly type: 'RescheduleMessage';
  /** No attempt starts before this time, Unix milliseconds. */
  readonly notBefore: number;
  /** `messageTerms` of the message. */
  readonly terms: readonly string[];
}

/** Complete a message because its run has ended: the end of the run answered its delivery. */
export interface CompleteMessage extends Command {
  readonly type: 'CompleteMessage';
  /** `messageTerms` of the message. */
  readonly terms: readonly string[];
}

/** All commands of a message: from requests, effects, and other streams of a turn. */
export type MessageCommand =
  | PublishMessage
  | RecordAttempt
  | CancelMessage
  | RescheduleMessage
  | CompleteMessage;
