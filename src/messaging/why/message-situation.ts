/** Everything that is known about the state of a message: `why` is answered from it. */
import type { AttemptProgress } from '../delivery/message.effects.js';

/** How the latest attempt of a pending message failed. */
export interface LastFailure {
  /** The status of the response; 0 = there was none, for the reason in `error`. */
  readonly status: number;
  readonly error: string | null;
  /** When the attempt began, Unix milliseconds. */
  readonly startedAt: number;
}

/** A message that is accepted and not final. Times are in Unix milliseconds. */
export interface PendingSituation {
  readonly status: 'pending';
  readonly url: string;
  /** Attempts that have failed. */
  readonly failures: number;
  readonly maxRetries: number;
  /** No attempt starts before this time. */
  readonly notBefore: number;
  /** The longest time that one attempt may take. */
  readonly timeoutMs: number;
  readonly lastFailure: LastFailure | null;
  /** null = no attempt is due, or it is about to begin. */
  readonly progress: Exclude<AttemptProgress, { stage: 'unreadable' }> | null;
}

/** A message that is due but damaged on the disk: nothing else about it can be read. */
export interface UnreadableSituation {
  readonly status: 'unreadable';
}

/** A message that is final. */
export interface EndedSituation {
  readonly status: 'delivered' | 'failed' | 'canceled';
  /** When it became final, Unix milliseconds. */
  readonly at: number;
  /** Attempts that were made. */
  readonly attempts: number;
  /** The status of the last answer; 0 = there was none. */
  readonly responseStatus: number;
  /** The dead letter that a failed message became; null = there is none, or no longer. */
  readonly dlqId: string | null;
}

/** The result of `MessageSituations.of` and the input of `whyMessage`. */
export type MessageSituation = PendingSituation | UnreadableSituation | EndedSituation;
