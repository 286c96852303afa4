/**
 * An attempt on the wire: the request that it makes, the message as it was published, composed and
 * signed; and what is recorded of its answer.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { whenRead } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import { asSpan, traceHeaders } from '../../grammar/trace-context.js';
import { dialects } from '../../http/dialect.js';
import type { RecordAttempt } from '../messages/message.commands.js';
import { type CallbackSource, messageKind, type Published } from '../messages/message.events.js';
import { messageTerms } from '../messages/recorded-events.js';
import { forbidsRetry } from '../messages/retry.policy.js';
import { RunDeliveries } from '../messages/run-deliveries.js';
import { runHeaders } from '../messages/run-headers.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { AttemptOutcome, OutgoingAttempt } from '../outbound/attempt-outcome.js';
import { deliveryHeaders } from '../outbound/request-head.js';
import type { MessagingSettings } from '../settings.js';
import { Keyring } from '../signing-keys/keyring.js';
import { MessageTraces } from '../tracing/message-traces.js';
import { attemptSpanId } from '../tracing/span.js';
import { answerDefect } from './answer.policy.js';
import {
  type AnswerLimits,
  type AttemptMeaning,
  answerLimits,
  capturedBytesMax,
  storedBytesMax,
} from './captured-answer.js';
import { MessageBodies } from './message-bodies.js';

const messagePrefixes = Object.values(dialects).map(({ messagePrefix }) =>
  messagePrefix.toLowerCase(),
);

/** What a message sends, whichever attempt it is. */
export interface PreparedDelivery {
  readonly published: Published;
  /** null = none is sent. */
  readonly body: Buffer | null;
  /** Forwarded with it, names and values in turn. */
  readonly headers: readonly string[];
}

@Injectable()
export class DeliveryAttempts {
  private readonly limits: AnswerLimits;

  constructor(
    private readonly bodies: MessageBodies,
    private readonly stored: StoredMessages,
    private readonly runs: RunDeliveries,
    private readonly keyring: Keyring,
    private readonly traces: MessageTraces,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.limits = answerLimits(config);
  }

  /** What all attempts of a message send, at once where it is at hand. */
  prepare(published: Published): PreparedDelivery | Promise<PreparedDelivery> {
    const { event } = published;
    return whenRead(this.bodies.read(published), (read) => {
      const body = event.method === 'GET' ? null : read;
      const own = event.run === null ? event.headers : this.runs.headers(published);
      const { callbackOf } = event;
      const traced =
        callbackOf === null
          ? own
          : whenRead(own, (headers) => this.withSourceTrace(headers, callbackOf));
      return whenRead(traced, (headers) => ({ published, body, headers }));
    });
  }

  /**
   * The request of attempt number `attempt`, from 0, which was due at `dueAt`, Unix milliseconds;
   * its signature holds from now on.
   */
  request(
    { published, body, headers }: PreparedDelivery,
    attempt: number,
    dueAt: number,
  ): OutgoingAttempt | Promise<OutgoingAttempt> {
    const traced = this.traces.isOn
      ? this.traces.begin(published, { number: attempt, dueAt }, headers)
      : asSpan(headers, () => attemptSpanId(published.id, attempt));
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
        run: event.run === null ? none : runHeaders(event.run, messagePrefix),
        forwarded,
      }),
      body,
      timeoutMs: Math.min(event.timeoutMs ?? timeoutMs, timeoutMs),
      captureBytes: capturedBytesMax(event, this.limits),
    };
  }

  /** The command that records how attempt number `attempt` of a message has ended. */
  record({ id, event }: Published, attempt: number, outcome: AttemptOutcome): RecordAttempt {
    const { status, headers, startedAt, durationMs } = outcome;
    const { run } = event;
    const isSuccess = status >= 200 && status < 300;
    const isChecked = isSuccess && run !== null && run.answerCheck !== 'none';
    const defect = isChecked ? answerDefect(run, headers, messagePrefixes) : null;
    // A third party's answer is for the endpoint to judge (workflows.md 3.3).
    const isFinal =
      !isSuccess && run?.role !== 'call' && forbidsRetry(status, headers, messagePrefixes);
    const error = outcome.error ?? defect;
    const nonRetryable = isFinal || defect !== null;
    const isLast = nonRetryable || attempt >= event.maxRetries;
    const ended: AttemptMeaning = isLast ? 'failed' : 'retried';
    const meaning = isSuccess && error === null ? 'delivered' : ended;
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

  /** A callback belongs to the trace of the message that it reports on. */
  private withSourceTrace(
    headers: readonly string[],
    { publishedOffset }: CallbackSource,
  ): readonly string[] | Promise<readonly string[]> {
    return whenRead(this.stored.published(publishedOffset), ({ event }) =>
      withDefaultHeaders(headers, traceHeaders(event.headers)),
    );
  }

  private signatureOf({ event: { dialect, url } }: Published, body: Buffer | null): string {
    const now = this.clock.now();
    const { issuer } = dialects[dialect];
    return this.keyring.sign({ issuer, url, body, now, id: this.identifiers.turnSeed(now) });
  }
}

const none: readonly string[] = [];

/** A copy, so that what is left out is not kept in memory. */
function beginningOf(body: Buffer, bytesMax: number): Buffer {
  return body.length <= bytesMax ? body : Buffer.from(body.subarray(0, bytesMax));
}
