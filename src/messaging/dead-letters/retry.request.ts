/** Reads what a retry changes of the failed message: its headers override stored options. Pure. */
import { ok, type Result, refused } from '../../grammar/result.js';
import type { MessageHeaders } from '../../http/dialect.js';
import type { MessagePublished, Published } from '../messages/message.events.js';
import { OptionReader, type PublishRules } from '../publishing/option-reader.js';

type Message = Omit<MessagePublished, 'type'>;

/** The options of a retry. */
export interface RetryOverrides {
  /** Time from the retry to its first attempt, milliseconds, unless `notBefore` is given. */
  readonly delayMs: number;
  readonly notBefore: number | null;
  /** Options that replace those of the original. */
  readonly message: Partial<
    Pick<Message, 'timeoutMs' | 'maxRetries' | 'retryDelay' | 'labels' | 'flowControl'>
  >;
}

const unchangeable = 'cannot be changed by a retry';
/** Any other option is refused: ignoring it would silently drop its meaning. */
const others =
  /^(?!(retries|retry-delay|timeout|delay|not-before|label|flow-control-key|flow-control-value)$)/;

/** Reads the options of a retry at `at` (Unix milliseconds). */
export function readOverrides(
  said: MessageHeaders,
  rules: Omit<PublishRules, 'judgeUrl'>,
  at: number,
): Result<RetryOverrides> {
  const reader = new OptionReader(said, { ...rules, judgeUrl: () => refused(unchangeable) });
  const changes = readChanges(reader, said, rules, at);
  const flowControl = reader.flowControl();
  const message = { ...changes.message, ...(flowControl !== null && { flowControl }) };
  const overrides = { ...changes, message };
  reader.refuseOptions(others, unchangeable);
  return parsedOptions(reader, said, overrides, unchangeable);
}

/** How to deliver a message that is retried, as its options say, without flow control. */
export function readChanges(
  reader: OptionReader,
  { options }: MessageHeaders,
  rules: Pick<PublishRules, 'retries'>,
  at: number,
): RetryOverrides {
  const has = (option: string) => options.has(option);
  const message: RetryOverrides['message'] = {
    ...(has('timeout') && { timeoutMs: reader.timeout() }),
    ...(has('retries') && { maxRetries: reader.retries(rules.retries) }),
    ...(has('retry-delay') && { retryDelay: reader.retryDelay() }),
    ...(has('label') && { labels: reader.labels() }),
  };
  return { delayMs: reader.delay(), notBefore: reader.notBefore(at), message };
}

/** The overrides, unless an option was refused or cannot be changed by a retry. */
export function parsedOptions<Overrides>(
  reader: OptionReader,
  said: MessageHeaders,
  overrides: Overrides,
  unknown: string,
): Result<Overrides> {
  if (said.callback !== null) reader.refuse('invalid', 'callback', unknown);
  if (said.failureCallback !== null) reader.refuse('invalid', 'failure-callback', unknown);
  if (said.forwarded.length > 0) reader.refuse('invalid', 'forward', unknown);
  return reader.refusal ?? ok(overrides);
}

/**
 * The message that replaces, at `at`, one that failed: the stored original, in its own dialect and
 * with its own body, which is not stored again.
 */
export function retriedMessage(
  { event, offset }: Published,
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
