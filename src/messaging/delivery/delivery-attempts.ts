/**
 * An attempt on the wire: composes and signs its request, and decides what to record of the answer.
 * A destination controls its answers, so what it can make the server store is bounded: a long
 * answer is stored only if a callback or a run reports it.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { whenRead } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { dialects } from '../../http/dialect.js';
import type { RecordAttempt } from '../messages/message.commands.js';
import { type MessagePublished, messageKind, type Published } from '../messages/message.events.js';
import { messageTerms } from '../messages/recorded-events.js';
import { type AttemptMeaning, forbidsRetry, meaningOf } from '../messages/retry.policy.js';
import type { AttemptOutcome, OutgoingAttempt } from '../outbound/attempt-outcome.js';
import { deliveryHeaders } from '../outbound/request-head.js';
import type { MessagingSettings } from '../settings.js';
import { Keyring } from '../signing-keys/keyring.js';
import { MessageTraces } from '../tracing/message-traces.js';
import { attemptSpanId } from '../tracing/span.js';
import { answerDefect } from './answer.policy.js';
import type { PreparedDelivery } from './message-contents.js';

const messagePrefixes = Object.values(dialects).map(({ messagePrefix }) =>
  messagePrefix.toLowerCase(),
);

/** How much of the body of an answer logs and dead letters show; they need no more. */
const shownBytesMax = 64 * 1024;

/** The most bytes of the body of an answer that are stored. */
export interface AnswerLimits {
  /** For the attempt that ends a message, if a callback or the failed run reports it. */
  readonly lastBytesMax: number;
  /** For the answer to a call, which becomes the result of a workflow step. */
  readonly callBytesMax: number;
}

/** An attempt that was made. */
export interface MadeAttempt {
  /** From 0. */
  readonly number: number;
  /** When it began, as shown while it was in flight, Unix milliseconds; null = it was not shown. */
  readonly startedAt: number | null;
}

/** Sends nothing itself: `EndpointCalls` sends the requests that it gets from here. */
@Injectable()
export class DeliveryAttempts {
  private readonly limits: AnswerLimits;

  constructor(
    private readonly keyring: Keyring,
    private readonly traces: MessageTraces,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.limits = answerLimits(config);
  }

  /**
   * The request of attempt number `attempt`, from 0, which was due at `dueAt`, Unix milliseconds.
   * The validity of its signature begins now.
   */
  request(
    { published, body, headers }: PreparedDelivery,
    attempt: number,
    dueAt: number,
  ): OutgoingAttempt | Promise<OutgoingAttempt> {
    const traced = this.traces.isOn
      ? this.traces.begin(published, { number: attempt, dueAt }, headers)
      : headers;
    return whenRead(traced, (forwarded) => this.written(published, body, attempt, forwarded));
  }

  private written(
    published: Published,
    body: Buffer | null,
    attempt: number,
    forwarded: readonly string[],
  ): OutgoingAttempt {
    const { event, id } = published;
    const { messagePrefix, userAgent } = dialects[event.dialect];
    const { timeoutMs } = this.config;
    return {
      url: event.url,
      method: event.method,
      headers: deliveryHeaders({
        messagePrefix,
        userAgent,
        messageId: id,
        retried: attempt,
        signature: this.signatureOf(published, body),
        callerIp: event.callerIp,
        scheduleId: event.scheduleId,
        topicName: event.topicName,
        contentType: event.contentType,
        run: event.run,
        forwarded,
        spanId: () => attemptSpanId(id, attempt),
      }),
      body,
      timeoutMs: Math.min(event.timeoutMs ?? timeoutMs, timeoutMs),
      captureBytes: capturedBytesMax(event, this.limits),
    };
  }

  /** The command that records how an attempt of a message has ended. */
  record(
    { id, event }: Published,
    { number: attempt, startedAt: shownAt }: MadeAttempt,
    outcome: AttemptOutcome,
  ): RecordAttempt {
    const { status, headers, durationMs } = outcome;
    // Use the start shown while the attempt ran: rows of the logs are ordered by it.
    const startedAt = shownAt ?? outcome.startedAt;
    const { run } = event;
    const isSuccess = status >= 200 && status < 300;
    const isChecked = isSuccess && run !== null && run.answerCheck !== 'none';
    const defect = isChecked ? answerDefect(run, headers, messagePrefixes) : null;
    // The answer of a third party is for the endpoint to judge (workflows.md 3.3).
    const isFinal =
      !isSuccess && run?.role !== 'call' && forbidsRetry(status, headers, messagePrefixes);
    const error = outcome.error ?? defect;
    const nonRetryable = isFinal || defect !== null;
    const meaning = meaningOf({ attempt, status, error }, nonRetryable, event.maxRetries);
    const bytesMax = storedBytesMax(event, meaning, this.limits);
    const isCut = outcome.bodyTruncated || outcome.body.length > bytesMax;
    const record = { attempt, startedAt, durationMs, status, headers, error };
    return {
      type: 'RecordAttempt',
      kind: messageKind,
      id,
      at: this.clock.now(),
      record: isCut ? { bodyTruncated: true, ...record } : record,
      nonRetryable,
      responseBody: beginningOf(outcome.body, bytesMax),
      terms: messageTerms(event),
    };
  }

  private signatureOf({ event: { dialect, url } }: Published, body: Buffer | null): string {
    const now = this.clock.now();
    const { issuer } = dialects[dialect];
    return this.keyring.sign({ issuer, url, body, now, id: this.identifiers.turnSeed(now) });
  }
}

/** Copies the beginning, so that the rest of the body is not kept in memory. */
function beginningOf(body: Buffer, bytesMax: number): Buffer {
  return body.length <= bytesMax ? body : Buffer.from(body.subarray(0, bytesMax));
}

/** The limits that follow from the configuration. */
function answerLimits({
  maxBodyBytes,
  answerBytesMax,
}: Pick<MessagingSettings, 'maxBodyBytes' | 'answerBytesMax'>): AnswerLimits {
  return {
    lastBytesMax: answerBytesMax,
    callBytesMax: Math.max(maxBodyBytes, answerBytesMax),
  };
}

type Reporting = Pick<MessagePublished, 'callback' | 'failureCallback' | 'run'>;

/** How many bytes of an answer are captured before it is known what the attempt means. */
export function capturedBytesMax(message: Reporting, limits: AnswerLimits): number {
  return storedBytesMax(message, 'failed', limits);
}

/** How many bytes of an answer are stored once it is known what the attempt means. */
export function storedBytesMax(
  message: Reporting,
  meaning: AttemptMeaning,
  { lastBytesMax, callBytesMax }: AnswerLimits,
): number {
  if (!isReported(message, meaning)) return Math.min(shownBytesMax, lastBytesMax);
  return message.run?.role === 'call' ? callBytesMax : lastBytesMax;
}

/**
 * Whether a callback or a run reports the whole answer. The run of a failed step counts, because it
 * may name a callback.
 */
function isReported(
  { callback, failureCallback, run }: Reporting,
  meaning: AttemptMeaning,
): boolean {
  if (meaning === 'retried') return false;
  if (callback !== null) return true;
  if (meaning === 'delivered') return false;
  return failureCallback !== null || run?.role === 'step' || run?.role === 'callResult';
}
