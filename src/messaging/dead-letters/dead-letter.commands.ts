/** The commands of a dead letter; the id is its dlqId. */
import type { Command } from '../../engine/decider.js';

/** Delete the letter. */
export interface DeleteDeadLetter extends Command {
  readonly type: 'DeleteDeadLetter';
}

/** Remove the letter because its message is published anew, in the same turn, as `messageId`. */
export interface RetryDeadLetter extends Command {
  readonly type: 'RetryDeadLetter';
  readonly messageId: string;
}

/**
 * All commands of a dead letter, from `/v2/dlq` and from jobs. No command creates a letter: the
 * failure of its message does.
 */
export type DeadLetterCommand = DeleteDeadLetter | RetryDeadLetter;
