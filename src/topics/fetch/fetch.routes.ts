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
import { type FetchRequest, parseFetch } from './fetch.request.js';

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
  private isStopping = false;
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
    this.isStopping = true;
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
    const { positions, timeoutMs } = fetch.value;
    const forbidden = this.judge(exchange, positions);
    if (forbidden !== undefined) return forbidden;
    const cursors = await this.waitForAny(exchange, fetch.value, arrivedAt + timeoutMs);
    if (cursors instanceof Refusal) return cursors;
    if (exchange.response.closed) {
      exchange.abandon();
      return null;
    }
    // The credential may have been removed while the fetch waited.
    return this.judge(exchange, positions) ?? this.send(exchange, fetch.value, cursors);
  }

  /**
   * The places of all positions, once one of them has something to read, or the deadline (Unix ms)
   * is over, or the server stops, or the client is gone.
   */
  private async waitForAny(
    exchange: LongExchange,
    fetch: FetchRequest,
    deadline: number,
  ): Promise<readonly ReadPosition[] | Refusal> {
    for (;;) {
      // Again after each wait: a time in the future may still be to come, and retention may have
      // removed what a position was before.
      const cursors = await this.place(fetch);
      if (cursors instanceof Refusal) return cursors;
      const isReady = cursors.some(hasMore);
      const isOver = this.isStopping || deadline <= this.clock.now();
      if (isReady || isOver || exchange.response.closed) return cursors;
      await this.beyondAny(cursors, deadline, exchange);
      // The wait has ended for another reason, maybe because a log has stopped for good.
      if (!cursors.some(hasMore)) return this.place(fetch);
    }
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
    first: readonly ReadPosition[],
  ): Promise<Refusal | null> {
    const { maxRecords: records, maxBytes: bytes, encoding, untilTimestamp } = fetch;
    if (exchange.request.method !== 'GET') exchange.header('stepwell-durability', this.durability);
    for (let cursors = first; ; ) {
      const read = new FairRead(this.reads, cursors, encoding, { records, bytes });
      try {
        await sendRecords(exchange, read.parts(untilTimestamp, exchange.room));
        return null;
      } catch (error) {
        // Retention, a purge or the deletion of the topic may have removed the records meanwhile.
        const placed = await this.place(fetch);
        if (placed instanceof Refusal) return placed;
        if (!cursors.some(isOutside)) throw error;
        cursors = placed;
      }
    }
  }

  /**
   * Resolves every position to its log and an offset. Refused if a topic does not exist, or if an
   * offset is outside of its partition and nothing says where to read instead.
   */
  private async place({
    positions,
    offsetReset: reset,
  }: FetchRequest): Promise<readonly ReadPosition[] | Refusal> {
    const cursors: ReadPosition[] = [];
    for (const position of positions) {
      const { topic, partition } = position;
      const log = await this.topicLogs.partition(position);
      if (log instanceof Refusal) return log;
      const offset =
        'offset' in position ? position.offset : await log.offsetFor(position.timestamp);
      const cursor = { topic, partition, log, offset };
      if (!isOutside(cursor)) cursors.push({ ...cursor, offset: await beyondGap(cursor) });
      else if (reset === null) return outOfRange(cursor);
      else {
        const { startOffset, highWatermark } = log;
        cursors.push({ ...cursor, offset: reset === 'earliest' ? startOffset : highWatermark });
      }
    }
    return cursors;
  }

  /**
   * Waits until a log has records beyond a position, until the deadline (Unix ms), until the server
   * stops, or until the client is gone.
   */
  private beyondAny(
    cursors: readonly ReadPosition[],
    deadline: number,
    { response }: LongExchange,
  ): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.waiting.delete(end);
        response.off('close', end);
        for (const cancel of cancels) cancel();
        resolve();
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

function hasMore({ log, offset }: ReadPosition): boolean {
  return log.highWatermark > offset;
}

function isOutside({ log, offset }: ReadPosition): boolean {
  return offset < log.startOffset || offset > log.highWatermark;
}

/**
 * The offset of a position, or the end of its log if compaction has removed everything in between:
 * a reader waits there, because there is nothing to read.
 */
async function beyondGap({ log, offset }: ReadPosition): Promise<number> {
  const { compactedUntil, highWatermark } = log;
  if (offset >= compactedUntil || compactedUntil < highWatermark) return offset;
  const batches = await log.read(offset, { maxRecords: 1 });
  return batches.some((batch) => batch.records().length > 0) ? offset : highWatermark;
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
