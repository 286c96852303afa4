/** A message as the API shows it (messaging protocol 2.4). Absent values are left out, not null. */
import { isUtf8 } from 'node:buffer';
import type { EventEnvelope } from '../engine/decider.js';
import type { MessagePublished } from './message.events.js';

/** Header name in Title-Case to its values. */
export type HeaderMap = Record<string, string[]>;

/** The message object of `GET /v2/messages/{id}`. */
export interface MessageObject {
  readonly messageId: string;
  readonly url: string;
  readonly method: string;
  readonly header: HeaderMap;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly maxRetries: number;
  /** Unix milliseconds, as are all times here. */
  readonly notBefore: number;
  readonly createdAt: number;
  readonly callerIP: string;
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
  readonly parallelism?: number;
  readonly rate?: number;
  /** Seconds. */
  readonly period?: number;
  readonly retryDelayExpression?: string;
}

/** What a published message is shown as. */
export function messageObject(published: EventEnvelope<MessagePublished>): MessageObject {
  const { event, id, at, body } = published;
  return {
    messageId: id,
    url: event.url,
    method: event.method,
    header: headerMap(event.contentType, event.headers),
    ...bodyField(body),
    maxRetries: event.maxRetries,
    notBefore: event.notBefore,
    createdAt: at,
    callerIP: event.callerIp,
    ...labelFields(event.labels),
    ...flowControlFields(event),
    ...(event.retryDelay !== null && { retryDelayExpression: event.retryDelay }),
  };
}

/** Flat name, value pairs as a map; a `Content-Type` of its own comes first and wins. */
export function headerMap(contentType: string | null, pairs: readonly string[]): HeaderMap {
  // A header may be called `__proto__`: the map must have no prototype to set.
  const map: HeaderMap = Object.create(null);
  if (contentType !== null) map['Content-Type'] = [contentType];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = titleCase(pairs[index] ?? '');
    if (name === 'Content-Type' && contentType !== null) continue;
    const values = map[name];
    if (values === undefined) map[name] = [pairs[index + 1] ?? ''];
    else values.push(pairs[index + 1] ?? '');
  }
  return map;
}

/** `body` where the bytes are UTF-8, else `bodyBase64`; neither where there are none. */
export function bodyField(body: Buffer | null): { body?: string; bodyBase64?: string } {
  if (body === null || body.length === 0) return {};
  return isUtf8(body) ? { body: body.toString() } : { bodyBase64: body.toString('base64') };
}

function labelFields(labels: readonly string[]): { label?: string; labels?: readonly string[] } {
  const [label] = labels;
  return label === undefined ? {} : { label, labels };
}

function flowControlFields({ flowControl }: MessagePublished): object {
  if (flowControl === null) return {};
  const { key, parallelism, rate, periodSeconds } = flowControl;
  return {
    flowControlKey: key,
    ...(parallelism !== null && { parallelism }),
    ...(rate !== null && { rate }),
    period: periodSeconds,
  };
}

function titleCase(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
