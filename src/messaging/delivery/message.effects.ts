/**
 * How a message's effect to be delivered is carried out: wait for the gates, read the message back,
 * sign it, call the endpoint, and tell the message how it ended.
 */

import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { Payloads } from '../../engine/payloads.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { dialects } from '../../http/dialect.js';
import type { Admission, Entrant } from '../gates/gate.js';
import type { Gates } from '../gates/gates.js';
import type { RecordAttempt } from '../messages/message.commands.js';
import type { CallEndpoint } from '../messages/message.decider.js';
import { type MessagePublished, messageKind } from '../messages/message.events.js';
import type { MessageBodies } from '../messages/message-bodies.js';
import { messageTerms } from '../messages/message-terms.js';
import { forbidsRetry } from '../messages/retry.policy.js';
import type { DeliveryOrder, RunDeliveries, RunDelivery } from '../messages/run-deliveries.js';
import { runHeaders } from '../messages/run-headers.js';
import type { AttemptOutcome, OutgoingAttempt } from '../outbound/attempt-outcome.js';
import { deliveryHeaders } from '../outbound/delivery-headers.js';
import type { Endpoints } from '../outbound/endpoints.js';
import type { SigningInput } from '../outbound/signature.js';
import { answerDefect } from './answer.policy.js';
import {
  type AnswerLimits,
  type AttemptMeaning,
  capturedBytesMax,
  storedBytesMax,
} from './captured-answer.js';

const messagePrefixes = Object.values(dialects).map(({ messagePrefix }) =>
  messagePrefix.toLowerCase(),
);

/** One attempt, from the gates to its outcome. */
class Attempt implements Entrant {
  admission: Admission | null = null;
  readonly messageId: string;
  readonly origin: string;
  readonly bodyBytes: number;
  readonly queueName: string | null;
  readonly flowControlKey: string | null;
  readonly delivery: RunDelivery | null;
  /** When it was let in, Unix milliseconds; null = it waits. */
  startedAt: number | null = null;

  constructor(
    readonly source: EffectSource,
    readonly number: number,
    effect: CallEndpoint,
    private readonly run: (attempt: Attempt) => Promise<void>,
  ) {
    this.messageId = source.id;
    this.origin = effect.origin;
    this.bodyBytes = effect.bodyBytes;
    this.queueName = effect.queueName;
    this.flowControlKey = effect.flowControlKey;
    this.delivery = effect.run;
  }

  admitted(): void {
    void this.run(this);
  }
}

/** What an attempt needs beside the message itself. */
export interface DeliveryContext {
  readonly engine: Engine;
  readonly payloads: Payloads;
  readonly bodies: MessageBodies;
  readonly runs: RunDeliveries;
  readonly order: DeliveryOrder;
  readonly gates: Gates;
  readonly endpoints: Endpoints;
  /** Signs with the key in use. */
  readonly sign: (delivery: Omit<SigningInput, 'key'>) => string;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** The longest an attempt may take, milliseconds. */
  readonly timeoutMs: number;
  readonly answerLimits: AnswerLimits;
}

export class EndpointCalls implements EffectCarrier<CallEndpoint> {
  private readonly cut = new AbortController();
  private readonly open = new Map<string, Attempt>();
  private draining = false;
  private ended: (() => void) | null = null;

  constructor(private readonly context: DeliveryContext) {}

  start(source: EffectSource, effect: CallEndpoint): () => void {
    const attempt = new Attempt(source, effect.attempt, effect, (own) => this.run(own));
    const { gates, order } = this.context;
    const ask = () => {
      attempt.admission = gates.ask(attempt);
    };
    // It asks for no place, so that one that is held takes none.
    const takeBack = effect.run === null ? ask() : order.whenAnswered(effect.run, ask);
    // One that waits gives its place up; one in flight is not cut off, its end just means nothing.
    return () => {
      takeBack?.();
      if (attempt.admission?.isInside === false) gates.leave(attempt.admission);
    };
  }

  /** The attempts in flight, by message: their number from 0 and start, Unix milliseconds. */
  *running(): Generator<{ messageId: string; attempt: number; startedAt: number }> {
    for (const { messageId, number, startedAt } of this.open.values()) {
      if (startedAt !== null) yield { messageId, attempt: number, startedAt };
    }
  }

  /**
   * Waits for the attempts in flight; after `graceMs` the rest are cut, and cut ones do not count.
   */
  async drain(graceMs: number): Promise<void> {
    this.draining = true;
    if (this.context.gates.running === 0) return;
    const allEnded = new Promise<void>((resolve) => {
      this.ended = resolve;
    });
    const cancel = this.context.clock.after(graceMs, () => this.cut.abort());
    await allEnded;
    cancel();
  }

  private async run(attempt: Attempt): Promise<void> {
    const { engine, payloads, bodies, runs, order, gates, endpoints, clock } = this.context;
    const { delivery } = attempt;
    attempt.startedAt = clock.now();
    this.open.set(attempt.messageId, attempt);
    if (delivery !== null) order.began(attempt.messageId, delivery);
    const envelope = await payloads.read(attempt.source.firstOffset);
    const published = envelope as EventEnvelope<MessagePublished>;
    const body = await bodies.read(published);
    const forwarded = published.event.run === null ? null : await runs.headers(published);
    // A caller that was told of the cancelation sees no attempt begin, even one let in before it.
    const isWanted = !this.draining && engine.actors(messageKind).has(attempt.messageId);
    const outcome = isWanted
      ? await endpoints.call(
          this.request(published, body, forwarded, attempt.number),
          this.cut.signal,
        )
      : null;
    this.open.delete(attempt.messageId);
    if (attempt.admission !== null) gates.leave(attempt.admission);
    if (delivery !== null) order.ended(attempt.messageId, delivery);
    if (outcome !== null && !outcome.cut) {
      engine.tell([
        recordAttempt(attempt, published.event, outcome, clock.now(), this.context.answerLimits),
      ]);
    }
    if (gates.running === 0) this.ended?.();
  }

  private request(
    { event, id }: EventEnvelope<MessagePublished>,
    body: Buffer | null,
    forwarded: readonly string[] | null,
    attempt: number,
  ): OutgoingAttempt {
    const { sign, clock, identifiers, timeoutMs, answerLimits } = this.context;
    const { messagePrefix, userAgent, issuer } = dialects[event.dialect];
    const sent = event.method === 'GET' ? null : body;
    const now = clock.now();
    const signature = sign({
      issuer,
      url: event.url,
      body: sent,
      now,
      id: identifiers.turnSeed(now),
    });
    return {
      url: event.url,
      method: event.method,
      headers: deliveryHeaders({
        messagePrefix,
        userAgent,
        messageId: id,
        retried: attempt,
        signature,
        callerIp: event.callerIp,
        scheduleId: event.scheduleId,
        topicName: event.topicName,
        contentType: event.contentType,
        run: event.run === null ? [] : runHeaders(event.run, messagePrefix),
        forwarded: forwarded ?? event.headers,
      }),
      body: sent,
      timeoutMs: Math.min(event.timeoutMs ?? timeoutMs, timeoutMs),
      captureBytes: capturedBytesMax(event, answerLimits),
    };
  }
}

function recordAttempt(
  attempt: Attempt,
  published: MessagePublished,
  outcome: AttemptOutcome,
  at: number,
  limits: AnswerLimits,
): RecordAttempt {
  const { status, headers, startedAt, durationMs } = outcome;
  const { run } = published;
  const isSuccess = status >= 200 && status < 300;
  const defect = isSuccess ? answerDefect(run, headers, messagePrefixes) : null;
  // A third party's answer is for the endpoint to judge (workflows.md 3.3).
  const isFinal = run?.role !== 'call' && forbidsRetry(status, headers, messagePrefixes);
  const error = outcome.error ?? defect;
  const nonRetryable = isFinal || defect !== null;
  const isLast = nonRetryable || attempt.number >= published.maxRetries;
  const ended: AttemptMeaning = isLast ? 'failed' : 'retried';
  const meaning = isSuccess && error === null ? 'delivered' : ended;
  const bytesMax = storedBytesMax(published, meaning, limits);
  const isCut = outcome.bodyTruncated || outcome.body.length > bytesMax;
  const record = { attempt: attempt.number, startedAt, durationMs, status, headers, error };
  return {
    type: 'RecordAttempt',
    kind: messageKind,
    id: attempt.source.id,
    at,
    record: isCut ? { ...record, bodyTruncated: true } : record,
    nonRetryable,
    responseBody: beginningOf(outcome.body, bytesMax),
    terms: messageTerms(published),
  };
}

/** A copy, so that what is left out is not kept in memory. */
function beginningOf(body: Buffer, bytesMax: number): Buffer {
  return body.length <= bytesMax ? body : Buffer.from(body.subarray(0, bytesMax));
}
