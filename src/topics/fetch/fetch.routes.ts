/** `/fetch`: records from given positions, without a group (topics.md 3.1). */
import { Inject, Injectable } from '@nestjs/common';
import { OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { parseJson } from '../../grammar/json.js';
import { ok, Refusal, type Result } from '../../grammar/result.js';
import { type Durability, type DurabilitySettings, durabilityOf } from '../../http/durability.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { Exchange, LongExchange } from '../../http/routes/exchange.js';
import type { LongExpressRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { FairRead, type ReadPosition } from '../records/fair-read.js';
import { type PayloadEncoding, readEncoding } from '../records/record-text.js';
import { sendRecords } from '../records/records-answer.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { SharedReads } from '../topics/shared-reads.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { type FetchRequest, type Position, parseFetch } from './fetch.request.js';

/** A fetch with the encoding that its request asks for. */
type EncodedFetch = FetchRequest & { readonly encoding: PayloadEncoding };

/**
 * Served by the express lane. A waiting fetch holds no memory, and ends when its client
 * disconnects.
 */
@Injectable()
export class FetchRoute implements LongExpressRoute {
  readonly isExpress = true;
  readonly isLong = true;
  readonly methods = ['GET', 'POST'];
  readonly pattern = '/fetch';
  readonly description: RouteDescription = topicRoutes.fetch;
  /** The fetches that wait for records. */
  private readonly waiting = new Set<() => void>();
  private readonly durability: Durability;

  constructor(
    private readonly topicLogs: TopicLogs,
    private readonly reads: SharedReads,
    private readonly basic: BasicCredentials,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) config: DurabilitySettings,
  ) {
    this.durability = durabilityOf(config);
  }

  /** Answers the waiting fetches with the records that exist, because the server stops. */
  answerWaiting(): void {
    for (const end of this.waiting) end();
  }

  serve(exchange: LongExchange): void {
    this.answer(exchange).then(
      (refusal) => {
        if (refusal !== null) exchange.refuse(refusal);
      },
      (error: unknown) => exchange.fail(error),
    );
  }

  /** Answers with records, or returns why not. */
  private async answer(exchange: LongExchange): Promise<Refusal | null> {
    const arrivedAt = this.clock.now();
    const fetch = readFetch(exchange);
    if (!fetch.ok) return fetch;
    const { positions, timeoutMs, offsetReset } = fetch.value;
    const forbidden = this.judge(exchange, positions);
    if (forbidden !== undefined) return forbidden;
    const cursors = await this.place(positions, offsetReset);
    if (cursors instanceof Refusal) return cursors;
    const refusal = outsideRefusal(cursors);
    if (refusal !== null) return refusal;
    const isGone = await this.waitForAny(cursors, arrivedAt + timeoutMs, exchange);
    if (isGone) {
      exchange.abandon();
      return null;
    }
    // The credential may have been removed while the fetch waited.
    return this.judge(exchange, positions) ?? this.send(exchange, fetch.value, cursors);
  }

  /** Why the request may not read one of the positions; undefined if it may read all of them. */
  private judge(
    { request }: LongExchange,
    positions: readonly TopicPartition[],
  ): Refusal | undefined {
    for (const topic of new Set(positions.map((position) => position.topic))) {
      const refusal = this.basic.judgeRight(request, 'read', topic);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  private async send(
    exchange: LongExchange,
    fetch: EncodedFetch,
    cursors: readonly ReadPosition[],
  ): Promise<Refusal | null> {
    const { maxRecords: records, maxBytes: bytes, encoding, untilTimestamp } = fetch;
    const read = new FairRead(this.reads, cursors, encoding, { records, bytes });
    if (exchange.request.method !== 'GET') exchange.header('stepwell-durability', this.durability);
    try {
      await sendRecords(exchange, read.parts(untilTimestamp, exchange.room));
      return null;
    } catch (error) {
      // Retention, a purge or the deletion of the topic may have removed the records meanwhile.
      const placed = await this.place(cursors, null);
      const refusal = placed instanceof Refusal ? placed : outsideRefusal(placed);
      if (refusal === null) throw error;
      return refusal;
    }
  }

  /** Resolves every position to its log and an offset. */
  private async place(
    positions: readonly Position[],
    reset: FetchRequest['offsetReset'],
  ): Promise<readonly ReadPosition[] | Refusal> {
    const cursors: ReadPosition[] = [];
    for (const position of positions) {
      const { topic, partition } = position;
      const log = await this.topicLogs.partition(position);
      if (log instanceof Refusal) return log;
      const offset =
        'offset' in position ? position.offset : await log.offsetFor(position.timestamp);
      const cursor = { topic, partition, log, offset };
      if (reset === null || !isOutside(cursor)) cursors.push(cursor);
      else {
        const { startOffset, highWatermark } = log;
        cursors.push({ ...cursor, offset: reset === 'earliest' ? startOffset : highWatermark });
      }
    }
    return cursors;
  }

  /**
   * Waits until one position has something to read, until the deadline (Unix ms), until the server
   * stops, or until the client is gone; returns true only in the last case.
   */
  private waitForAny(
    cursors: readonly ReadPosition[],
    deadline: number,
    { response }: LongExchange,
  ): Promise<boolean> {
    const isReady = cursors.some(({ log, offset }) => log.highWatermark > offset);
    if (isReady || response.closed || deadline <= this.clock.now())
      return Promise.resolve(response.closed);
    return new Promise((resolve) => {
      const end = () => {
        this.waiting.delete(end);
        response.off('close', end);
        for (const cancel of cancels) cancel();
        resolve(response.closed);
      };
      const cancels = cursors.map(({ log, offset }) => log.whenBeyond(offset, end));
      cancels.push(this.clock.after(deadline - this.clock.now(), end));
      response.on('close', end);
      this.waiting.add(end);
    });
  }
}

function readFetch({ request, body }: Exchange): Result<EncodedFetch> {
  const encoding = readEncoding(request.rawHeaders);
  if (!encoding.ok) return encoding;
  const json = parseJson(body);
  const fetch = json.ok ? parseFetch(json.value) : json;
  return fetch.ok ? ok({ encoding: encoding.value, ...fetch.value }) : fetch;
}

function isOutside({ log, offset }: ReadPosition): boolean {
  return offset < log.startOffset || offset > log.highWatermark;
}

function outsideRefusal(cursors: readonly ReadPosition[]): Refusal | null {
  const outside = cursors.find(isOutside);
  return outside === undefined ? null : outOfRange(outside);
}

/** The refusal 416 with the valid range, so that a reader can choose where to continue. */
function outOfRange({ topic, partition, log, offset }: ReadPosition): Refusal {
  const { startOffset: earliest, highWatermark: latest } = log;
  const { message } = new OffsetOutOfRange(offset, earliest, latest);
  return new Refusal('out_of_range', `partition ${partition} of ${topic}: ${message}`, undefined, {
    topic,
    partition,
    earliest,
    latest,
  });
}
