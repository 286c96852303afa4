/** All that is known of where a message stands: what `why` is answered from. */
import type { AttemptProgress } from '../delivery/message.effects.js';

/** How the latest attempt of a pending message failed. */
export interface LastFailure {
  /** The response's status; 0 = there was none, `error` says why. */
  readonly status: number;
  readonly error: string | null;
  /** When the attempt began, Unix milliseconds. */
  readonly startedAt: number;
}

/** A message that is accepted and not final. Times in Unix milliseconds. */
export interface PendingSituation {
  readonly status: 'pending';
  readonly url: string;
  /** Attempts that have failed. */
  readonly failures: number;
  readonly maxRetries: number;
  /** No attempt starts before. */
  readonly notBefore: number;
  /** The longest one attempt may take. */
  readonly timeoutMs: number;
  readonly lastFailure: LastFailure | null;
  /** null = no attempt is due, or it is about to begin. */
  readonly progress: Exclude<AttemptProgress, { stage: 'unreadable' }> | null;
}

/** A message that is due, and that the disk has damaged: nothing else of it can be read. */
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
  /** What the last answer was; 0 = there was none. */
  readonly responseStatus: number;
  /** Of a failed one, the dead letter that it became; null = there is none, or no more. */
  readonly dlqId: string | null;
}

/** What `MessageSituations.of` answers, and `whyMessage` is given. */
export type MessageSituation = PendingSituation | UnreadableSituation | EndedSituation;
