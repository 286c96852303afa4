/** What a retry changes of the message that failed: call headers override the stored ones. Pure. */
import type { EventEnvelope } from '../engine/decider.js';
import type { MessageHeaders } from '../http/dialect.js';
import { refused } from '../http/parsed.js';
import type { MessagePublished } from '../messages/message.events.js';
import {
  OptionReader,
  type OptionRefusal,
  type PublishRules,
} from '../publishing/option-reader.js';

type Message = Omit<MessagePublished, 'type'>;

/** What a retry says of itself. */
export interface RetryOverrides {
  /** From the retry to its first attempt, milliseconds, unless `notBefore` is named. */
  readonly delayMs: number;
  readonly notBefore: number | null;
  /** What replaces the original's. */
  readonly message: Partial<
    Pick<Message, 'timeoutMs' | 'maxRetries' | 'retryDelay' | 'labels' | 'flowControl'>
  >;
}

export type RetryParsed =
  | { readonly ok: true; readonly overrides: RetryOverrides }
  | { readonly ok: false; readonly refusal: OptionRefusal };

const unchangeable = 'cannot be changed by a retry';
/** Silence would lose what any other option asks for. */
const others =
  /^(?!(retries|retry-delay|timeout|delay|not-before|label|flow-control-key|flow-control-value)$)/;

/** Reads a retry's own options, for a retry at `at` (Unix milliseconds). */
export function readOverrides(
  said: MessageHeaders,
  rules: Omit<PublishRules, 'judgeUrl'>,
  at: number,
): RetryParsed {
  const reader = new OptionReader(said, { ...rules, judgeUrl: () => refused(unchangeable) });
  const has = (option: string) => said.options.has(option);
  const message: RetryOverrides['message'] = {
    ...(has('timeout') && { timeoutMs: reader.timeout() }),
    ...(has('retries') && { maxRetries: reader.retries(rules.retries) }),
    ...(has('retry-delay') && { retryDelay: reader.retryDelay() }),
    ...(has('label') && { labels: reader.labels() }),
    ...((has('flow-control-key') || has('flow-control-value')) && {
      flowControl: reader.flowControl(),
    }),
  };
  const overrides = { delayMs: reader.delay(), notBefore: reader.notBefore(at), message };
  reader.refuseOptions(others, unchangeable);
  if (said.callback !== null) reader.refuse('invalid', 'callback', unchangeable);
  if (said.failureCallback !== null) reader.refuse('invalid', 'failure-callback', unchangeable);
  if (said.forwarded.length > 0) reader.refuse('invalid', 'forward', unchangeable);
  return reader.refusal === null ? { ok: true, overrides } : { ok: false, refusal: reader.refusal };
}

/**
 * The message that stands in at `at` for one that failed: the stored original, in its own dialect
 * and with its own body, which is not stored again.
 */
export function retriedMessage(
  { event, offset }: EventEnvelope<MessagePublished>,
  { delayMs, notBefore, message }: RetryOverrides,
  at: number,
): Message {
  const { type, ...original } = event;
  const { callbackOf, bodyOffset } = original;
  return {
    ...original,
    ...message,
    notBefore: notBefore ?? at + delayMs,
    deduplicationKey: null,
    bodyOffset: callbackOf === null ? (bodyOffset ?? offset) : null,
  };
}
