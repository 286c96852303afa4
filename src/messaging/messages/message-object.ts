/** A message as the API shows it (messaging.md 2.4). Absent values are left out, not null. */

import { isUtf8 } from 'node:buffer';
import type { EventEnvelope } from '../../engine/decider.js';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import { StoredText } from '../../http/bytes/stored-text.js';
import type {
  CallbackOptions,
  FlowControlOptions,
  MessagePublished,
  MessageTemplate,
} from './message.events.js';
import { redactedHeaders } from './redaction.js';

/** Has one of the two fields, or neither. */
export interface ShownBody {
  readonly body?: StoredText;
  /** The body in base64, if it is not valid UTF-8. */
  readonly bodyBase64?: StoredText;
}

/** The message object of `GET /v2/messages/{id}`. */
export interface MessageObject extends ShownBody {
  readonly messageId: string;
  readonly url: string;
  readonly method: string;
  /** The URL group that it was published to, and the name of its endpoint in that group. */
  readonly topicName?: string;
  readonly endpointName?: string;
  /** The headers that will be delivered, without those that the server adds itself. */
  readonly header: HeaderMap;
  readonly maxRetries: number;
  /** Unix milliseconds, as are all times here. */
  readonly notBefore: number;
  readonly createdAt: number;
  readonly callback?: string;
  readonly callbackHeader?: HeaderMap;
  readonly failureCallback?: string;
  readonly failureCallbackHeader?: HeaderMap;
  readonly queueName?: string;
  readonly scheduleId?: string;
  /** The message that this one reports on, if it is a callback. */
  readonly sourceMessageId?: string;
  readonly callerIP: string;
  readonly callerIp: string;
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
  readonly parallelism?: number;
  readonly rate?: number;
  /** Seconds. */
  readonly period?: number;
  readonly retryDelayExpression?: string;
}

/** The message object of a published message; `body` is the part of its body that may be shown. */
export function messageObject(
  { event, id, at }: EventEnvelope<MessagePublished>,
  body: Buffer | null,
): MessageObject {
  return {
    messageId: id,
    url: event.url,
    method: event.method,
    ...placeFields(event),
    header: shownHeaders(event),
    ...bodyField(body),
    maxRetries: event.maxRetries,
    notBefore: event.notBefore,
    createdAt: at,
    ...callbackFields(event),
    ...callerFields(event.callerIp),
    ...labelFields(event.labels),
    ...flowControlFields(event.flowControl),
    ...(event.retryDelay !== null && { retryDelayExpression: event.retryDelay }),
  };
}

/**
 * The fields of a template, from which messages are published repeatedly. Times are in whole
 * seconds, rounded up.
 */
export function templateFields(template: MessageTemplate) {
  const { delayMs, timeoutMs, retryDelay, queueName } = template;
  return {
    method: template.method,
    header: shownHeaders(template),
    retries: template.maxRetries,
    ...(delayMs > 0 && { delay: seconds(delayMs) }),
    ...(timeoutMs !== null && { timeout: seconds(timeoutMs) }),
    ...callbackFields(template),
    ...callerFields(template.callerIp),
    ...(queueName !== null && { queueName }),
    ...labelFields(template.labels),
    ...flowControlFields(template.flowControl),
    ...(retryDelay !== null && { retryDelayExpression: retryDelay }),
  };
}

/**
 * The headers that a callback will have. The redaction of its message applies, unless the callback
 * sets its own.
 */
export function callbackHeader(
  { contentType, headers, redaction }: CallbackOptions,
  message: Pick<MessagePublished, 'redaction'>,
): HeaderMap {
  return redactedHeaders(headerMap(contentType, headers), redaction ?? message.redaction);
}

/** `body` if the bytes are UTF-8, else `bodyBase64`; neither if there are no bytes. */
export function bodyField(body: Buffer | null): ShownBody {
  if (body === null || body.length === 0) return {};
  return isUtf8(body)
    ? { body: new StoredText(body, 'utf8') }
    : { bodyBase64: new StoredText(body, 'base64') };
}

/** `label` is the first label, and `labels` are all of them. */
export function labelFields(labels: readonly string[]): {
  label?: string;
  labels?: readonly string[];
} {
  const [label] = labels;
  return label === undefined ? {} : { label, labels };
}

/** The address that a message was published from, in both spellings that clients read. */
export function callerFields(callerIp: string): { callerIP: string; callerIp: string } {
  return { callerIP: callerIp, callerIp };
}

/** Like `flowControlFields`, but omits the window if the rate is not limited. */
export function limitedFields(flowControl: FlowControlOptions | null) {
  const { period, ...fields } = flowControlFields(flowControl);
  // If no window is given, a window of one second is in force.
  const isSet = flowControl?.rate !== null || period !== 1;
  return period !== undefined && isSet ? { ...fields, period } : fields;
}

/**
 * The flow-control key, its limits as they were published, and the window in force. Clients of
 * messages and schedules expect the window wherever there is a key.
 */
function flowControlFields(flowControl: FlowControlOptions | null): {
  flowControlKey?: string;
  parallelism?: number;
  rate?: number;
  period?: number;
} {
  if (flowControl === null) return {};
  const { key, parallelism, rate, periodSeconds } = flowControl;
  return {
    flowControlKey: key,
    ...(parallelism !== null && { parallelism }),
    ...(rate !== null && { rate }),
    period: periodSeconds,
  };
}

function shownHeaders({
  contentType,
  headers,
  redaction,
}: Pick<MessagePublished, 'contentType' | 'headers' | 'redaction'>): HeaderMap {
  return redactedHeaders(headerMap(contentType, headers), redaction);
}

function callbackFields(
  message: Pick<MessagePublished, 'callback' | 'failureCallback' | 'redaction'>,
) {
  const { callback, failureCallback } = message;
  return {
    ...(callback !== null && {
      callback: callback.url,
      callbackHeader: callbackHeader(callback, message),
    }),
    ...(failureCallback !== null && {
      failureCallback: failureCallback.url,
      failureCallbackHeader: callbackHeader(failureCallback, message),
    }),
  };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** What the message was published through: a group, a queue, a schedule, or another message. */
export function placeFields(event: MessagePublished) {
  const { topicName, endpointName, queueName, scheduleId, callbackOf } = event;
  return {
    ...(topicName !== null && { topicName }),
    ...(endpointName !== null && { endpointName }),
    ...(queueName !== null && { queueName }),
    ...(scheduleId !== null && { scheduleId }),
    ...(callbackOf !== null && { sourceMessageId: callbackOf.messageId }),
  };
}
