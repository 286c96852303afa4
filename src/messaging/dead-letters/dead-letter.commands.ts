/** The commands of a dead letter; its dlqId is the id. */
import type { Command } from '../../engine/decider.js';

/** Take it away. */
export interface DeleteDeadLetter extends Command {
  readonly type: 'DeleteDeadLetter';
}

/** Take it away because its message is published anew, in the same turn, as `messageId`. */
export interface RetryDeadLetter extends Command {
  readonly type: 'RetryDeadLetter';
  readonly messageId: string;
}

/**
 * From `/v2/dlq` and from jobs. There is none that makes a letter: the failure of its message does.
 */
export type DeadLetterCommand = DeleteDeadLetter | RetryDeadLetter;
