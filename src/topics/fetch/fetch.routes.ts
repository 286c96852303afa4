/** `/fetch`: records from given positions, without a group (topics.md 3.1). */
import { Inject, Injectable } from '@nestjs/common';
import { OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { parseJson } from '../../grammar/json.js';
import { ok, Refusal, type Result } from '../../grammar/result.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { type Cursor, FairRead } from '../records/fair-read.js';
import { type PayloadEncoding, readEncoding } from '../records/payload-encoding.js';
import { sendRecords } from '../records/records-answer.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { SharedReads } from '../topics/shared-reads.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { type FetchRequest, type Position, parseFetch } from './fetch.request.js';

/** A fetch as its request describes it. */
type EncodedFetch = FetchRequest & { readonly encoding: PayloadEncoding };

@Injectable()
export class FetchRoute implements FastifyRoute {
  readonly methods = ['GET', 'POST'];
  readonly pattern = '/fetch';
  readonly description: RouteDescription = topicRoutes.fetch;
  /** Those that wait for records. */
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly topicLogs: TopicLogs,
    private readonly reads: SharedReads,
    private readonly basic: BasicCredentials,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** A server that stops answers those that wait with what there is. */
  answerWaiting(): void {
    for (const end of this.waiting) end();
  }

  async serve(exchange: FastifyExchange): Promise<void> {
    const arrivedAt = this.clock.now();
    const fetch = valueIn(readFetch(exchange));
    const { positions, timeoutMs, offsetReset } = fetch;
    for (const topic of new Set(positions.map((position) => position.topic))) {
      refuseIf(this.basic.judgeRight(exchange.request, 'read', topic));
    }
    const cursors = answerIn(await this.place(positions, offsetReset));
    refuseOutside(cursors);
    const isGone = await this.waitForAny(cursors, arrivedAt + timeoutMs, exchange);
    if (isGone) exchange.hijack();
    else await this.answer(exchange, fetch, cursors);
  }

  private async answer(
    exchange: FastifyExchange,
    fetch: EncodedFetch,
    cursors: readonly Cursor[],
  ): Promise<void> {
    const { maxRecords: records, maxBytes: bytes, encoding, untilTimestamp } = fetch;
    const read = new FairRead(this.reads, cursors, encoding, { records, bytes });
    try {
      await sendRecords(exchange, read.parts(untilTimestamp, exchange.room));
    } catch (error) {
      // Retention, a purge or the end of the topic may have taken the records meanwhile.
      refuseOutside(answerIn(await this.place(cursors, null)));
      throw error;
    }
  }

  /** Every position with its log, and as an offset. */
  private async place(
    positions: readonly Position[],
    reset: FetchRequest['offsetReset'],
  ): Promise<readonly Cursor[] | Refusal> {
    const cursors: Cursor[] = [];
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
   * Settles when one position has something to read, at the deadline (Unix ms), when the server
   * stops, or when the client is gone: only then it is true.
   */
  private waitForAny(
    cursors: readonly Cursor[],
    deadline: number,
    { response }: FastifyExchange,
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

function isOutside({ log, offset }: Cursor): boolean {
  return offset < log.startOffset || offset > log.highWatermark;
}

function refuseOutside(cursors: readonly Cursor[]): void {
  const outside = cursors.find(isOutside);
  if (outside !== undefined) refuseIf(outOfRange(outside));
}

/** 416 carries the valid range, so that a reader can choose where to go on. */
function outOfRange({ topic, partition, log, offset }: Cursor): Refusal {
  const { startOffset: earliest, highWatermark: latest } = log;
  const { message } = new OffsetOutOfRange(offset, earliest, latest);
  return new Refusal('out_of_range', `partition ${partition} of ${topic}: ${message}`, undefined, {
    topic,
    partition,
    earliest,
    latest,
  });
}
