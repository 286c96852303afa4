/**
 * Turns messages into spans: their publish, their waits, and their attempts. Spans are made from
 * durable events that have just happened, so a replay sends none.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { DamagedData } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import { lastUsed } from '../../grammar/collections.js';
import { sentBy } from '../../grammar/trace-context.js';
import type {
  AttemptRecord,
  MessageCanceled,
  MessageCompleted,
  MessageEvent,
  Published,
} from '../messages/message.events.js';
import { MessagePlaces } from './message-places.js';
import {
  attemptSpanId,
  noTracer,
  partSpanId,
  publishSpanId,
  type TracePlace,
  type Tracer,
} from './span.js';
import { SpanReads } from './span-reads.js';

/** Limit for attempts whose spans are not made yet: more than are in flight on most servers. */
const underWayMax = 20_000;

/** Limit for publishes whose place is being read; spans beyond it are dropped. */
const readingMax = 1000;

/** A traced attempt whose end is not known yet. */
interface UnderWay {
  readonly published: Published;
  readonly number: number;
  readonly place: TracePlace;
  /** Unix milliseconds. */
  readonly dueAt: number;
}

/** Memory for attempts in flight is bounded: beyond the limit, a span is dropped and counted. */
@Injectable()
export class MessageTraces {
  private readonly underWay = lastUsed<string, UnderWay>(underWayMax);
  /**
   * When deliveries of runs began, Unix milliseconds: the latest by run, and each one by its run
   * and the event that it was published with.
   */
  private readonly deliveries = lastUsed<string, number>(underWayMax);
  private readonly tracer: Tracer;
  private readonly reads: SpanReads;
  /** Whether there is a collector; if not, callers can skip everything here. */
  readonly isOn: boolean;

  constructor(
    @Inject(provided.tracer) tracer: Tracer | null,
    private readonly places: MessagePlaces,
    @Inject(provided.clock) private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.isOn = tracer !== null;
    this.tracer = tracer ?? noTracer;
    this.reads = new SpanReads(this.tracer, readingMax);
  }

  /** The events that `listener` observes. */
  readonly interest: Interest<MessageEvent> = {
    types: {
      MessagePublished: true,
      MessageDelivered: true,
      AttemptFailed: true,
      MessageFailed: true,
      MessageCanceled: true,
      MessageCompleted: true,
    },
  };

  /** Makes spans of events. */
  readonly listener: EventListener<MessageEvent> = (envelopes) => {
    for (const envelope of envelopes) {
      const { event } = envelope;
      if (event.type === 'MessagePublished')
        this.published({ ...envelope, event }, this.clock.now());
      else if ('durationMs' in event) this.ended(envelope, event);
      else if (event.type !== 'MessageRescheduled') this.overtaken(envelope, event);
    }
  };

  /**
   * The headers of an attempt that begins; they include its trace if the trace is recorded. If
   * tracing is off, no attempt is recorded, nor if the disk has damaged what says its place: the
   * delivery needs none of that.
   */
  async begin(
    published: Published,
    { number, dueAt }: Pick<UnderWay, 'number' | 'dueAt'>,
    headers: readonly string[],
  ): Promise<readonly string[]> {
    const place = await this.placeOf(published);
    if (place === null || !this.tracer.samples(place.traceId, place.flags)) return headers;
    const { traceId } = place;
    const begunAt = this.clock.now();
    this.underWay.set(published.id, { published, number, place, dueAt });
    const { run } = published.event;
    if (run?.role === 'step') {
      this.deliveries.set(run.runId, begunAt);
      this.deliveries.set(deliveryKey(run.runId, run.eventOffset), begunAt);
    }
    return sentBy(headers, { traceId, spanId: attemptSpanId(published.id, number) });
  }

  /**
   * When the delivery began that was published with the event of a run at `eventOffset`, or else
   * the latest delivery of the run, Unix milliseconds; null = unknown.
   */
  deliveryOf(runId: string, eventOffset: number | null): number | null {
    const own =
      eventOffset === null ? undefined : this.deliveries.get(deliveryKey(runId, eventOffset));
    return own ?? this.deliveries.get(runId) ?? null;
  }

  private async placeOf(published: Published): Promise<TracePlace | null> {
    try {
      return await this.places.ofAttempts(published);
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      this.tracer.drop();
      return null;
    }
  }

  private published(published: Published, durableAt: number): void {
    if (published.event.run !== null) return;
    this.reads.begin(async () => {
      const place = await this.places.ofPublish(published);
      if (!this.tracer.samples(place.traceId, place.flags)) return;
      this.tracer.add({
        ...partOf(place, publishSpanId(published.id)),
        name: 'publish',
        kind: 'producer',
        startedAt: published.at,
        endedAt: durableAt,
        attributes: messageAttributes(published),
        error: null,
      });
    });
  }

  private ended({ id, offset }: EventEnvelope<MessageEvent>, record: AttemptRecord): void {
    const own = this.underWay.get(id);
    if (own === undefined || own.number !== record.attempt) return;
    this.underWay.delete(id);
    const { startedAt, durationMs, status, error } = record;
    this.waited(own, startedAt, offset);
    const failure = status >= 200 && status < 300 ? error : (error ?? `HTTP ${status}`);
    const answered: Record<string, number> =
      status === 0 ? {} : { 'http.response.status_code': status };
    this.attempted(own, { startedAt, endedAt: startedAt + durationMs }, answered, failure);
  }

  /** The message has ended before the attempt was answered. */
  private overtaken(
    { id, at, offset }: EventEnvelope<MessageEvent>,
    { type, underWay }: MessageCanceled | MessageCompleted,
  ): void {
    const own = this.underWay.get(id);
    this.underWay.delete(id);
    if (own === undefined || underWay?.attempt !== own.number) return;
    const { startedAt } = underWay;
    this.waited(own, startedAt, offset);
    const error = type === 'MessageCanceled' ? 'the message was canceled' : null;
    this.attempted(own, { startedAt, endedAt: at }, {}, error);
  }

  private attempted(
    { published, number, place }: UnderWay,
    { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
    answered: Readonly<Record<string, number>>,
    error: string | null,
  ): void {
    const { event } = published;
    this.tracer.add({
      ...partOf(place, attemptSpanId(published.id, number)),
      name: 'attempt',
      kind: 'client',
      startedAt,
      endedAt,
      attributes: Object.assign(messageAttributes(published), answered, {
        'http.request.method': event.method,
        'stepwell.attempt': number,
      }),
      error,
    });
  }

  /** Makes spans of the waits: from the publish until due, and from due until the start. */
  private waited(own: UnderWay, startedAt: number, offset: number): void {
    const { published, number, place, dueAt } = own;
    const wait = (name: string, from: number, until: number) => {
      if (until <= from) return;
      this.tracer.add({
        ...partOf(place, partSpanId(`${name}/${published.id}`, offset)),
        name,
        kind: 'internal',
        startedAt: from,
        endedAt: until,
        attributes: messageAttributes(published),
        error: null,
      });
    };
    if (number === 0) wait('delay', published.at, Math.min(dueAt, startedAt));
    wait('wait', dueAt, startedAt);
  }
}

const deliveryKey = (runId: string, eventOffset: number) => `${runId}/${eventOffset}`;

function partOf({ traceId, parentId }: TracePlace, spanId: string) {
  return { traceId, parentId, spanId };
}

/** Without path and query, because those of webhooks are secrets. */
function messageAttributes({ id, event }: Published): Record<string, string | number> {
  const { hostname, port, protocol } = new URL(event.url);
  const attributes: Record<string, string | number> = {
    'messaging.system': 'stepwell',
    'messaging.message.id': id,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  const { queueName, scheduleId, run } = event;
  if (queueName !== null) attributes['messaging.destination.name'] = queueName;
  if (scheduleId !== null) attributes['stepwell.schedule.id'] = scheduleId;
  if (run !== null) attributes['stepwell.run.id'] = run.runId;
  return attributes;
}
