/** Messages as the bench publishes and ends them, and what their events weigh in the journal. */
import type { EventEnvelope } from '../../src/engine/decider.js';
import { EventCodec } from '../../src/engine/event-codec.js';
import {
  Caller,
  ownWork,
  type Principal,
  principalTerm,
} from '../../src/engine/principal/principal.js';
import type {
  PublishMessage,
  RecordAttempt,
} from '../../src/messaging/messages/message.commands.js';
import {
  type MessageEvent,
  type MessagePublished,
  messageKind,
} from '../../src/messaging/messages/message.events.js';
import { messageTerms } from '../../src/messaging/messages/recorded-events.js';
import { recordLength } from '../../storage/format/record-encoding.js';

/** An id as long as a real one. */
export function messageId(number: number): string {
  return `msg_${String(number).padStart(23, '0')}`;
}

export interface PublishedMessage {
  readonly number: number;
  readonly url: string;
  readonly body: Buffer;
  readonly at: number;
  readonly notBefore: number;
  /** What it has beside a message that was published without options. */
  readonly options?: Partial<MessagePublished>;
}

/** The command of a publish without options but a delay. */
export function publishOf(published: PublishedMessage): PublishMessage {
  const { number, url, body, at, notBefore, options } = published;
  return {
    type: 'PublishMessage',
    kind: messageKind,
    id: messageId(number),
    at,
    body,
    message: {
      dialect: 'svc',
      url,
      method: 'POST',
      contentType: 'application/octet-stream',
      headers: [],
      notBefore,
      timeoutMs: null,
      maxRetries: 3,
      retryDelay: null,
      labels: [],
      flowControl: null,
      deduplicationKey: null,
      callerIp: '127.0.0.1',
      bodyBytes: body.length,
      bodyOffset: null,
      redaction: null,
      callback: null,
      failureCallback: null,
      callbackOf: null,
      queueName: null,
      topicName: null,
      endpointName: null,
      run: null,
      scheduleId: null,
      ...options,
    },
    sharesBodyWith: null,
  };
}

/** The command that records a first attempt which the bench's sink answered. */
export function deliveryOf(
  number: number,
  at: number,
  terms: readonly string[] = [],
): RecordAttempt {
  return {
    type: 'RecordAttempt',
    kind: messageKind,
    id: messageId(number),
    at,
    nonRetryable: false,
    responseBody: Buffer.alloc(0),
    terms,
    record: {
      attempt: 0,
      startedAt: at,
      durationMs: 1.25,
      status: 200,
      headers: ['Date', 'Sat, 01 Jan 2000 00:00:00 GMT', 'Content-Length', '0'],
      error: null,
    },
  };
}

/** Bytes of the journal's record for a publish, and for the delivery that follows. */
export function journalBytes(message: PublishedMessage): { published: number; delivered: number } {
  const { message: fields } = publishOf(message);
  const { record } = deliveryOf(message.number, message.at);
  const terms = messageTerms(fields);
  return {
    published: recordBytes(
      { type: 'MessagePublished', ...fields },
      [...terms, principalTerm('env:1')],
      message.body,
      new Caller('env:1', '127.0.0.1', 'k3x9q2ab-1f'),
    ),
    delivered: recordBytes(
      { type: 'MessageDelivered', ...record },
      terms,
      Buffer.alloc(0),
      ownWork,
    ),
  };
}

function recordBytes(
  event: MessageEvent,
  found: readonly string[],
  body: Buffer,
  by: Principal,
): number {
  const id = messageId(0);
  const place = { kind: messageKind, id, sequence: 0, at: Date.now(), offset: 1e6, previous: -1 };
  const envelope: EventEnvelope = { ...place, by, event, body, byteLength: body.length };
  const terms = [id, ...found];
  const codec = new EventCodec();
  // The first one of a shape teaches the codec its fields; what follows is what the log holds.
  codec.encode(envelope, terms);
  return recordLength(codec.encode(envelope, terms));
}
