/**
 * How much of a destination's answer is stored. A destination decides what it answers, so that what
 * it makes the server store is bounded: all of it only where a callback or a run tells of it. Pure.
 */
import type { MessagePublished } from '../messages/message.events.js';

/** What logs and dead letters show of an answer: of any attempt, no more is of use to them. */
const shownBytesMax = 64 * 1024;

/** Bytes of an answer's body that are stored at most. */
export interface AnswerLimits {
  /** Of the attempt that ends a message, where a callback or the run that failed is told of it. */
  readonly lastBytesMax: number;
  /** Of a call's, which becomes the result of a workflow's step. */
  readonly callBytesMax: number;
}

/** What an attempt means for its message: it is the last one unless it is retried. */
export type AttemptMeaning = 'delivered' | 'retried' | 'failed';

type Listeners = Pick<MessagePublished, 'callback' | 'failureCallback' | 'run'>;

/** What is kept of an answer while it is not known yet what the attempt means. */
export function capturedBytesMax(message: Listeners, limits: AnswerLimits): number {
  return storedBytesMax(message, 'failed', limits);
}

/** What is stored of an answer once it is known what the attempt means. */
export function storedBytesMax(
  message: Listeners,
  meaning: AttemptMeaning,
  { lastBytesMax, callBytesMax }: AnswerLimits,
): number {
  if (!isTold(message, meaning)) return Math.min(shownBytesMax, lastBytesMax);
  return message.run?.role === 'call' ? callBytesMax : lastBytesMax;
}

/** Whether a callback or a run tells all of it: a failed step's run may name a callback. */
function isTold({ callback, failureCallback, run }: Listeners, meaning: AttemptMeaning): boolean {
  if (meaning === 'retried') return false;
  if (callback !== null) return true;
  if (meaning === 'delivered') return false;
  return failureCallback !== null || run?.role === 'step' || run?.role === 'callResult';
}
