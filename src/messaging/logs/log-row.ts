/** A row of the logs as the API shows it (messaging.md 9). Absent values are left out. */
import { StringDecoder } from 'node:string_decoder';
import type { EventEnvelope } from '../../engine/decider.js';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { AttemptRecord, MessagePublished } from '../messages/message.events.js';
import {
  callbackHeader,
  labelFields,
  limitedFields,
  placeFields,
} from '../messages/message-object.js';
import { redacted, redactedBody, redactedHeaders } from '../messages/redaction.js';
import type { LogEntry, LogState } from './log-entry.js';
import { redactionOfAnswer, shownResponse } from './shown-response.js';

/** A row. Fields with two spellings in the two readings of the protocol are present in both. */
export interface LogRow {
  /** Unix milliseconds, as are all times here. */
  readonly time: number;
  readonly state: LogState;
  readonly messageId: string;
  /** Journal offset of its event; absent while the attempt is in flight. */
  readonly offset?: number;
  /** From 1. */
  readonly attempt?: number;
  /** How long the attempt took, in whole milliseconds. */
  readonly durationMs?: number;
  readonly url: string;
  readonly method: string;
  readonly maxRetries: number;
  readonly header: HeaderMap;
  /** Base64, or `REDACTED:` and the digest. */
  readonly body?: string;
  /** When the next attempt may start; if none follows, when the last one started or was due. */
  readonly nextDeliveryTime: number;
  readonly error?: string;
  readonly responseStatus?: number;
  readonly responseHeader?: HeaderMap;
  readonly responseHeaders?: HeaderMap;
  readonly responseBody?: string;
  readonly responseBodyBase64?: string;
  readonly topicName?: string;
  readonly endpointName?: string;
  readonly queueName?: string;
  readonly scheduleId?: string;
  /** The message that this one reports on, if it is a callback. */
  readonly sourceMessageId?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly callback?: string;
  readonly callbackHeaders?: HeaderMap;
  readonly failureCallback?: string;
  readonly failureCallbackHeaders?: HeaderMap;
  readonly retryDelayExpr?: string;
  readonly retryDelayExpression?: string;
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
  readonly parallelism?: number;
  readonly rate?: number;
  /** Seconds. */
  readonly period?: number;
}

/** The message that a row is about, with everything the row shows of it. */
export interface LoggedMessage {
  readonly published: EventEnvelope<MessagePublished>;
  /** The bytes that are delivered, wherever they are stored. */
  readonly body: Buffer | null;
  readonly redaction: Redaction | null;
}

/** The event that a row is about. */
export interface LoggedEvent {
  readonly offset: number;
  /** The body of the answer, if the event records the end of an attempt. */
  readonly response: Buffer | null;
}

/** Builds a row; `logged` is null while its event is not in the journal yet. */
export function logRow(
  message: LoggedMessage,
  entry: LogEntry,
  logged: LoggedEvent | null,
): LogRow {
  const { event, id } = message.published;
  return {
    time: entry.time,
    state: entry.state,
    messageId: id,
    ...(logged !== null && { offset: logged.offset }),
    ...(entry.attempt !== undefined && { attempt: entry.attempt }),
    ...(entry.end !== null && { durationMs: Math.round(entry.end.durationMs) }),
    url: event.url,
    method: event.method,
    maxRetries: event.maxRetries,
    header: redactedHeaders(headerMap(event.contentType, event.headers), message.redaction),
    ...bodyField(message),
    nextDeliveryTime: entry.nextDeliveryTime ?? event.notBefore,
    ...endFields(entry, logged?.response ?? null, redactionOfAnswer(event, message.redaction)),
    ...placeFields(event),
    ...(event.timeoutMs !== null && { timeout: event.timeoutMs }),
    ...callbackFields(event),
    ...(event.retryDelay !== null && {
      retryDelayExpr: event.retryDelay,
      retryDelayExpression: event.retryDelay,
    }),
    ...labelFields(event.labels),
    ...limitedFields(event.flowControl),
  };
}

function bodyField({ body, redaction }: LoggedMessage): { body?: string } {
  if (body === null || body.length === 0) return {};
  return { body: redaction?.body === true ? redacted(body) : body.toString('base64') };
}

/** Why an attempt failed. */
export function errorOf({ error, status }: Pick<AttemptRecord, 'error' | 'status'>): string {
  return error ?? `the destination answered ${status}`;
}

function endFields(
  { state, end }: LogEntry,
  responseBody: Buffer | null,
  redaction: Redaction | null,
): Partial<LogRow> {
  if (end === null) return {};
  const isFailure = state !== 'DELIVERED';
  const error = errorOf(end);
  if (end.status === 0) return { error };
  const headers = redactedHeaders(headerMap(null, end.headers), redaction);
  return {
    ...(isFailure && { error }),
    responseStatus: end.status,
    responseHeader: headers,
    responseHeaders: headers,
    ...shownResponse(redactedBody(responseBody, redaction)),
  };
}

function callbackFields(event: MessagePublished): Partial<LogRow> {
  const { callback, failureCallback } = event;
  return {
    ...(callback !== null && {
      callback: callback.url,
      callbackHeaders: callbackHeader(callback, event),
    }),
    ...(failureCallback !== null && {
      failureCallback: failureCallback.url,
      failureCallbackHeaders: callbackHeader(failureCallback, event),
    }),
  };
}

/** Trims the bodies of a row to `bytesMax` bytes each; -1 = no bodies. Digests stay whole. */
export function trimmedRow(row: LogRow, bytesMax: number): LogRow {
  const { body, responseBody, responseBodyBase64, ...others } = row;
  if (bytesMax === -1) return others;
  return {
    ...others,
    ...(body !== undefined && { body: startOfBase64(body, bytesMax) }),
    ...(responseBody !== undefined && { responseBody: startOfText(responseBody, bytesMax) }),
    ...(responseBodyBase64 !== undefined && {
      responseBodyBase64: startOfBase64(responseBodyBase64, bytesMax),
    }),
  };
}

const isDigest = (text: string): boolean => text.startsWith('REDACTED:');

/** Trims to `bytesMax` bytes of the decoded content. */
function startOfBase64(text: string, bytesMax: number): string {
  if (isDigest(text)) return text;
  const characters = Math.ceil(bytesMax / 3) * 4;
  return Buffer.from(text.slice(0, characters), 'base64').subarray(0, bytesMax).toString('base64');
}

/** Trims without leaving half a character at the end. */
function startOfText(text: string, bytesMax: number): string {
  const isWhole = text.length * 3 <= bytesMax;
  if (isDigest(text) || isWhole) return text;
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, bytesMax));
}
