/** What a delivery says in its headers (messaging.md 4.1). Pure. */
import { withoutHopHeaders } from '../../grammar/headers.js';

/** One attempt's headers before they are written down. */
export interface DeliveryWords {
  /** Prefix of the message's dialect: `Svc-`. */
  readonly messagePrefix: string;
  readonly userAgent: string;
  readonly messageId: string;
  /** Attempts made before this one. */
  readonly retried: number;
  readonly signature: string;
  readonly callerIp: string;
  /** The schedule that published it; null = none. */
  readonly scheduleId: string | null;
  /** The URL group that it was published to; null = none. */
  readonly topicName: string | null;
  /** Verbatim as published; null = it was published without. */
  readonly contentType: string | null;
  /** What is said of the message's workflow run, flat name, value pairs. */
  readonly run: readonly string[];
  /** Flat name, value pairs as they shall arrive. */
  readonly forwarded: readonly string[];
}

/**
 * Flat name, value pairs, complete but for Host, Connection and Content-Length, which the caller
 * writes. What the server says replaces a forwarded header of the same name in any case: an SDK
 * that relays its own inbound headers must not speak for us. Only User-Agent may be overridden.
 */
export function deliveryHeaders(words: DeliveryWords): string[] {
  const said = ownHeaders(words);
  const own = said.length;
  const forwarded = withoutHopHeaders(words.forwarded);
  let hasUserAgent = false;
  for (let index = 0; index + 1 < forwarded.length; index += 2) {
    const name = forwarded[index] ?? '';
    if (isNamed(said, own, name)) continue;
    hasUserAgent ||= isSame(name, 'user-agent');
    said.push(name, forwarded[index + 1] ?? '');
  }
  if (!hasUserAgent) said.push('User-Agent', words.userAgent);
  return said;
}

/** Whether one of the first `length` of names and values in turn has this name in any case. */
function isNamed(pairs: readonly string[], length: number, name: string): boolean {
  for (let index = 0; index < length; index += 2) {
    if (isSame(pairs[index] ?? '', name)) return true;
  }
  return false;
}

/** Names mostly differ in their lengths. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase();
}

/** Bodies are captured as they come: a compressed one would be a riddle, or a bomb. */
function ownHeaders(words: DeliveryWords): string[] {
  const { messagePrefix: prefix, scheduleId, topicName, contentType } = words;
  const own = [
    `${prefix}Message-Id`,
    words.messageId,
    `${prefix}Retried`,
    String(words.retried),
    `${prefix}Signature`,
    words.signature,
    `${prefix}Caller-Ip`,
    words.callerIp,
    'Accept-Encoding',
    'identity',
  ];
  if (scheduleId !== null) own.push(`${prefix}Schedule-Id`, scheduleId);
  if (topicName !== null) own.push(`${prefix}Topic-Name`, topicName);
  if (contentType !== null) own.push('Content-Type', contentType);
  own.push(...words.run);
  return own;
}
