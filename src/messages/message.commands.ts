/** What may be asked of a message. */
import type { Command } from '../engine/decider.js';
import type { AttemptRecord, MessagePublished } from './message.events.js';

/** Accept a message; `id` is the new message's. */
export interface PublishMessage extends Command {
  readonly type: 'PublishMessage';
  readonly message: Omit<MessagePublished, 'type'>;
  readonly body: Buffer;
}

/** What a publish is told: its message, or the earlier one that it repeats. */
export interface PublishReceipt {
  readonly messageId: string;
  readonly deduplicated: boolean;
}

/** Remember how an attempt ended. An attempt that was recorded already changes nothing. */
export interface RecordAttempt extends Command {
  readonly type: 'RecordAttempt';
  readonly record: AttemptRecord;
  /** The destination asked not to be tried again. */
  readonly nonRetryable: boolean;
  readonly responseBody: Buffer;
}

/** Take a message back. */
export interface CancelMessage extends Command {
  readonly type: 'CancelMessage';
}

export type MessageCommand = PublishMessage | RecordAttempt | CancelMessage;
