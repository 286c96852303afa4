/**
 * How much of a destination's answer is stored. A destination decides what it answers, so that what
 * it makes the server store is bounded: all of it only where a callback or a run reports it. Pure.
 */
import type { MessagePublished } from '../messages/message.events.js';
import type { MessagingSettings } from '../settings.js';

/** What logs and dead letters show of an answer: of any attempt, no more is of use to them. */
const shownBytesMax = 64 * 1024;

/** Bytes of an answer's body that are stored at most. */
export interface AnswerLimits {
  /** Of the attempt that ends a message, where a callback or the run that failed reports it. */
  readonly lastBytesMax: number;
  /** Of a call's, which becomes the result of a workflow's step. */
  readonly callBytesMax: number;
}

/** The limits that the configuration sets. */
export function answerLimits({
  maxBodyBytes,
  answerBytesMax,
}: Pick<MessagingSettings, 'maxBodyBytes' | 'answerBytesMax'>): AnswerLimits {
  return {
    lastBytesMax: answerBytesMax,
    callBytesMax: Math.max(maxBodyBytes, answerBytesMax),
  };
}

/** What an attempt means for its message: it is the last one unless it is retried. */
export type AttemptMeaning = 'delivered' | 'retried' | 'failed';

type Reporting = Pick<MessagePublished, 'callback' | 'failureCallback' | 'run'>;

/** What is kept of an answer while it is not known yet what the attempt means. */
export function capturedBytesMax(message: Reporting, limits: AnswerLimits): number {
  return storedBytesMax(message, 'failed', limits);
}

/** What is stored of an answer once it is known what the attempt means. */
export function storedBytesMax(
  message: Reporting,
  meaning: AttemptMeaning,
  { lastBytesMax, callBytesMax }: AnswerLimits,
): number {
  if (!isReported(message, meaning)) return Math.min(shownBytesMax, lastBytesMax);
  return message.run?.role === 'call' ? callBytesMax : lastBytesMax;
}

/** Whether a callback or a run reports all of it: a failed step's run may name a callback. */
function isReported(
  { callback, failureCallback, run }: Reporting,
  meaning: AttemptMeaning,
): boolean {
  if (meaning === 'retried') return false;
  if (callback !== null) return true;
  if (meaning === 'delivered') return false;
  return failureCallback !== null || run?.role === 'step' || run?.role === 'callResult';
}
