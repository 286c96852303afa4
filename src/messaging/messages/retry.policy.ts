/** How long a message waits after a failed attempt (messaging.md 4.4). Pure. */

import { evaluateRetryDelay } from '../../grammar/retry-delay.js';
import { retryAfterMs } from './retry-after.js';

/** The fields of a failed attempt that the policy reads. */
export interface FailedAttempt {
  /** Number of retries made before this attempt; 0 for the first attempt. */
  readonly attempt: number;
  /** Response headers, names and values in turn; empty if there was no response. */
  readonly headers: readonly string[];
}

/** What an attempt means for its message. Unless it is retried, it was the last attempt. */
export type AttemptMeaning = 'delivered' | 'retried' | 'failed';

/** How an attempt has ended. */
interface EndedAttempt {
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Status of the response; 0 = there was none. */
  readonly status: number;
  /** Any other error; null = none. */
  readonly error: string | null;
}

/** What an attempt means. `nonRetryable`: further attempts are pointless. */
export function meaningOf(
  { attempt, status, error }: EndedAttempt,
  nonRetryable: boolean,
  maxRetries: number,
): AttemptMeaning {
  if (status >= 200 && status < 300 && error === null) return 'delivered';
  return nonRetryable || attempt >= maxRetries ? 'failed' : 'retried';
}

const daySeconds = 86_400;

/**
 * Milliseconds until the next attempt. A wait that the destination requests wins, then the
 * message's own expression, then the default backoff; each of the first two only if it is valid.
 * `now` is Unix milliseconds, for a `Retry-After` that is a date.
 */
export function retryDelayMs(
  expression: string | null,
  { attempt, headers }: FailedAttempt,
  now: number,
): number {
  const requested = retryAfterMs(headers, now);
  if (requested !== undefined) return requested;
  const computed = expression === null ? undefined : evaluateRetryDelay(expression, attempt);
  return computed ?? defaultBackoffMs(attempt + 1);
}

/**
 * The wait before retry number n = `retry` (1, 2, ...): `min(86400, e^(2.5 n))` seconds, in whole
 * seconds as in the published table: 12 s, 2 m 28 s, 30 m 8 s, 6 h 7 m 6 s, 24 h from then on.
 */
export function defaultBackoffMs(retry: number): number {
  return Math.min(daySeconds, Math.floor(Math.exp(2.5 * retry))) * 1000;
}

/**
 * Whether a response forbids any further attempt: status 489 together with the header
 * `<prefix>NonRetryable-Error: true` in one of the dialects; 489 alone is an ordinary failure.
 * `prefixes` are the dialects' message prefixes in lower case.
 */
export function forbidsRetry(
  status: number,
  headers: readonly string[],
  prefixes: readonly string[],
): boolean {
  if (status !== 489) return false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    if (!prefixes.some((prefix) => name === `${prefix}nonretryable-error`)) continue;
    if (headers[index + 1]?.trim().toLowerCase() === 'true') return true;
  }
  return false;
}
