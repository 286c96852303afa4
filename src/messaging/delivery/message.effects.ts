/**
 * Carries out the attempts that messages want: waits for the gates, reads the message back, calls
 * the endpoint, and records how the attempt ended.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { whenRead } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { TransientMap } from '../../grammar/transient-map.js';
import type { Admission, Entrant } from '../gates/gate.js';
import { Gates } from '../gates/gates.js';
import type { GateWait } from '../gates/obstacle.js';
import type { AdmittedAttempt, CallEndpoint } from '../messages/message.decider.js';
import { Messages } from '../messages/message.entity.js';
import type { Published } from '../messages/message.events.js';
import { DeliveryOrder, type RunDelivery } from '../messages/run-deliveries.js';
import type { AttemptOutcome, OutgoingAttempt } from '../outbound/attempt-outcome.js';
import type { Endpoints } from '../outbound/endpoints.js';
import { OriginTraffic } from '../outbound/origin-traffic.js';
import { domainOf } from '../outbound/parent-domain.js';
import { AttemptMetrics } from './attempt.metrics.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { MessageContents, type PreparedDelivery } from './message-contents.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** Limits on held deliveries that are composed in advance: body size and number, 4 MiB in all. */
const aheadBytesMax = 16 * 1024;
const aheadMax = 256;

/** One attempt, from the gates to its outcome. */
class Attempt implements Entrant, AdmittedAttempt {
  admission: Admission | null = null;
  readonly messageId: string;
  /** Journal offset of the message's `MessagePublished`. */
  readonly publishedOffset: number;
  readonly number: number;
  readonly origin: string;
  readonly domain: string | null;
  readonly bodyBytes: number;
  readonly queueName: string | null;
  readonly flowControlKey: string | null;
  readonly delivery: RunDelivery | null;
  /** Unix milliseconds. */
  readonly dueAt: number;
  /** When it was admitted, Unix milliseconds; null = it waits. */
  startedAt: number | null = null;
  isSent = false;
  /** What it will send; null = not read yet. */
  prepared: PreparedDelivery | Promise<PreparedDelivery> | null = null;

  constructor(
    { id, firstOffset }: EffectSource,
    effect: CallEndpoint,
    private readonly run: (attempt: Attempt) => void,
  ) {
    this.messageId = id;
    this.publishedOffset = firstOffset;
    this.number = effect.attempt;
    this.origin = effect.origin;
    this.domain = domainOf(effect.origin);
    this.bodyBytes = effect.bodyBytes;
    this.queueName = effect.queueName;
    this.flowControlKey = effect.flowControlKey;
    this.delivery = effect.run;
    this.dueAt = effect.notBefore;
  }

  admitted(): void {
    this.run(this);
  }
}

/** The progress of an attempt that is due. */
export type AttemptProgress =
  /** The delivery of its run that caused it is not answered yet (ADR 26). */
  | { readonly stage: 'held' }
  | { readonly stage: 'waiting'; readonly wait: GateWait }
  /** The message is damaged on the disk, so no attempt is made. */
  | { readonly stage: 'unreadable' }
  /** `startedAt` in Unix milliseconds. */
  | { readonly stage: 'inFlight'; readonly startedAt: number };

/**
 * One instance per server, which holds every attempt of the process. The end of an attempt is
 * recorded by a command. If that is lost in a crash, the effect at the destination is not undone,
 * so deliveries are at least once.
 */
@Injectable()
export class EndpointCalls implements EffectCarrier<CallEndpoint> {
  private readonly cut = new AbortController();
  /** By message id: attempts that are held or wait at a gate. */
  private readonly waiting = new TransientMap<string, Attempt>();
  private draining = false;
  private onDrained: (() => void) | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly messages: Messages,
    private readonly contents: MessageContents,
    private readonly attempts: DeliveryAttempts,
    private readonly order: DeliveryOrder,
    private readonly gates: Gates,
    private readonly unreadable: UnreadableMessages,
    private readonly metrics: AttemptMetrics,
    private readonly traffic: OriginTraffic,
    @Inject(provided.endpoints) private readonly endpoints: Endpoints,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Begins an attempt, or puts it in line. The returned function removes a waiting attempt from its
   * line; an attempt in flight is not cut off.
   */
  start(source: EffectSource, effect: CallEndpoint): () => void {
    // The message was moved while this attempt was beginning: it is the same attempt.
    if (this.messages.admittedAttempts.get(source.id)?.number === effect.attempt) {
      return () => this.unreadable.release(source.id);
    }
    const attempt = new Attempt(source, effect, this.run);
    let takeBack = nothing;
    if (effect.run === null) attempt.admission = this.gates.admit(attempt);
    else {
      // A held attempt is not at a gate yet, so it takes no place.
      takeBack = this.order.whenAnswered(effect.run, () => {
        attempt.admission = this.gates.admit(attempt);
      });
    }
    if (attempt.startedAt === null) {
      this.waiting.set(attempt.messageId, attempt);
      if (attempt.admission === null) this.prepareAhead(attempt);
    }
    // A waiting attempt gives up its place. One in flight is not cut off; its end is just ignored.
    return () => {
      takeBack();
      this.unreadable.release(attempt.messageId);
      if (this.waiting.get(attempt.messageId) === attempt) this.waiting.delete(attempt.messageId);
      if (attempt.admission?.isInside === false) this.gates.leave(attempt.admission);
    };
  }

  /** How many attempts are in flight. */
  get inFlight(): number {
    return this.messages.admittedAttempts.size;
  }

  /** The due time of the attempt that has waited longest, Unix milliseconds; null = none waits. */
  get longestDueAt(): number | null {
    // At a start the earliest due come first, and a map keeps its insertion order.
    for (const { dueAt } of this.waiting.values()) return dueAt;
    return null;
  }

  /** The attempts in flight: message id, number from 0, and start in Unix milliseconds. */
  *running(): Generator<{ messageId: string; attempt: number; startedAt: number }> {
    for (const { messageId, number, startedAt } of this.messages.admittedAttempts.values()) {
      if (startedAt !== null) yield { messageId, attempt: number, startedAt };
    }
  }

  /** When the attempt in flight of a message began, Unix milliseconds; null = none is in flight. */
  startedAt(messageId: string): number | null {
    return this.messages.admittedAttempts.get(messageId)?.startedAt ?? null;
  }

  /** The progress of the attempt that a message wants now; null = none is due. */
  progressOf(messageId: string): AttemptProgress | null {
    const startedAt = this.startedAt(messageId);
    if (startedAt !== null) return { stage: 'inFlight', startedAt };
    if (this.unreadable.has(messageId)) return { stage: 'unreadable' };
    const attempt = this.waiting.get(messageId);
    if (attempt === undefined) return null;
    const wait = attempt.admission === null ? null : this.gates.waitOf(attempt.admission);
    return wait === null ? { stage: 'held' } : { stage: 'waiting', wait };
  }

  /**
   * Begins no more attempts and waits for those in flight. After `graceMs` the rest are cut; cut
   * attempts do not count.
   */
  async drain(graceMs: number): Promise<void> {
    this.draining = true;
    this.gates.close();
    if (this.gates.running === 0) return;
    const allEnded = new Promise<void>((resolve) => {
      this.onDrained = resolve;
    });
    const cancel = this.clock.after(graceMs, () => this.cut.abort());
    await allEnded;
    cancel();
  }

  /** Sends in the same tick if the contents are at hand. */
  private readonly run = (attempt: Attempt): void => {
    this.begin(attempt);
    const { publishedOffset, number, dueAt } = attempt;
    const read = attempt.prepared ?? this.contents.prepare(publishedOffset);
    const send = (prepared: PreparedDelivery) =>
      whenRead(this.attempts.request(prepared, number, dueAt), (request) =>
        this.send(attempt, prepared, request),
      );
    if (read instanceof Promise) void read.then(send, (error) => this.hold(attempt, error));
    else void send(read);
  };

  /** Holds the attempt if the disk has damaged its message, and frees its place for others. */
  private hold(attempt: Attempt, error: unknown): void {
    const { messageId, publishedOffset } = attempt;
    this.unreadable.hold(messageId, error, {
      read: async () => {
        await this.contents.prepare(publishedOffset);
      },
      proceed: () => this.admitAgain(attempt),
    });
    // The message may have been canceled while it was read.
    if (!this.messages.has(messageId)) this.unreadable.release(messageId);
    this.release(attempt, null);
  }

  private admitAgain(attempt: Attempt): void {
    attempt.startedAt = null;
    attempt.prepared = null;
    attempt.admission = this.gates.admit(attempt);
    if (!attempt.admission.isInside) this.waiting.set(attempt.messageId, attempt);
  }

  private send(
    attempt: Attempt,
    { published }: PreparedDelivery,
    request: OutgoingAttempt,
  ): Promise<void> {
    // Once a cancelation is answered no attempt begins, not even one admitted before it.
    const isWanted = !this.draining && this.messages.has(published.id);
    // Reading the message back may have taken time.
    attempt.startedAt = this.clock.now();
    attempt.isSent = isWanted;
    const called = isWanted ? this.endpoints.call(request, this.cut.signal) : notMade;
    return called.then((outcome) => this.settle(attempt, published, outcome));
  }

  /** `outcome` is null if the message is no longer wanted, or the server is stopping. */
  private settle(attempt: Attempt, published: Published, outcome: AttemptOutcome | null): void {
    this.release(attempt, outcome);
    if (outcome !== null && !outcome.cut) {
      this.engine.dispatchAndForget([this.attempts.record(published, attempt, outcome)]);
    }
    const release = outcome?.release;
    // A destination may answer faster than the disk writes: until then the answer is in memory. A
    // failure to write is reported elsewhere.
    if (release !== undefined) void this.engine.durable().then(release, release);
  }

  /** Composes a held delivery in advance, so that it leaves with the answer that it waits for. */
  private prepareAhead(attempt: Attempt): void {
    if (attempt.bodyBytes > aheadBytesMax || this.waiting.size > aheadMax) return;
    const prepared = this.contents.prepare(attempt.publishedOffset);
    attempt.prepared = prepared;
    // The attempt itself handles the error when it begins.
    if (prepared instanceof Promise) prepared.catch(() => undefined);
  }

  private begin(attempt: Attempt): void {
    const { messageId, delivery } = attempt;
    attempt.startedAt = this.clock.now();
    this.metrics.began(attempt.dueAt, attempt.startedAt);
    this.waiting.delete(messageId);
    this.messages.admittedAttempts.set(messageId, attempt);
    this.traffic.began(attempt.origin);
    if (delivery !== null) this.order.began(messageId, delivery);
  }

  private release(
    { messageId, origin, admission, delivery }: Attempt,
    outcome: AttemptOutcome | null,
  ): void {
    this.messages.admittedAttempts.delete(messageId);
    this.traffic.ended(origin, outcome);
    if (admission !== null) this.gates.leave(admission);
    if (delivery !== null) this.order.ended(messageId, delivery);
    if (this.gates.running === 0) this.onDrained?.();
  }
}

const nothing = (): void => undefined;
const notMade = Promise.resolve(null);
