/** The commands of a message. */
import type { Command } from '../../engine/decider.js';
import type { AttemptRecord, MessagePublished } from './message.events.js';

/** Accept a message; `id` is the new message's. */
export interface PublishMessage extends Command<PublishReceipt> {
  readonly type: 'PublishMessage';
  /** What it is published with; the event itself where there is one. */
  readonly message: MessagePublished | Omit<MessagePublished, 'type'>;
  /** Kept beside the event, unless the message has a `bodyOffset` or shares another one's. */
  readonly body: Buffer;
  /**
   * A message of the same turn that brings the same body, so that it is stored once (ADR 7);
   * where that one was not accepted, this one brings its own.
   */
  readonly sharesBodyWith: string | null;
}

/** What a publish answers: its message, or the earlier one that it repeats. */
export interface PublishReceipt {
  readonly messageId: string;
  readonly deduplicated: boolean;
}

/** Remember how an attempt ended. An attempt that was recorded already changes nothing. */
export interface RecordAttempt extends Command {
  readonly type: 'RecordAttempt';
  readonly record: AttemptRecord;
  /** The destination forbids another attempt. */
  readonly nonRetryable: boolean;
  readonly responseBody: Buffer;
  /** `messageTerms` of the message: its attempts are found by what it was published with. */
  readonly terms: readonly string[];
}

/** Take a message back. */
export interface CancelMessage extends Command {
  readonly type: 'CancelMessage';
  /** `messageTerms` of the message. */
  readonly terms: readonly string[];
}

/** Have its next attempt start at another time; one that is due already stays due. */
export interface RescheduleMessage extends Command {
  readonly type: 'RescheduleMessage';
  /** No attempt starts before, Unix milliseconds. */
  readonly notBefore: number;
  /** `messageTerms` of the message. */
  readonly terms: readonly string[];
}

/** The run that the message belongs to has ended: its delivery has been answered by that. */
export interface CompleteMessage extends Command {
  readonly type: 'CompleteMessage';
  /** `messageTerms` of the message. */
  readonly terms: readonly string[];
}

/** From requests, effects, and other streams of a turn. */
export type MessageCommand =
  | PublishMessage
  | RecordAttempt
  | CancelMessage
  | RescheduleMessage
  | CompleteMessage;
