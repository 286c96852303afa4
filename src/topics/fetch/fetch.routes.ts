/** `/fetch`: records from given positions, without a group (topics.md 3.1). */
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { parseJson } from '../../grammar/json.js';
import { type Parsed, parsed } from '../../grammar/parsed.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { type Refusal, sendRefusal } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
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
export class FetchRoutes implements HotRoutes {
  /** Those that wait for records: a server that stops answers them with what there is. */
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly topicLogs: TopicLogs,
    private readonly reads: SharedReads,
    private readonly basic: BasicCredentials,
    private readonly inFlight: InFlight,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.addHook('preClose', async () => {
      for (const end of this.waiting) end();
    });
    fastify.route({
      method: ['GET', 'POST'],
      url: '/fetch',
      config: { description: topicRoutes.fetch },
      handler: (request, reply) => this.fetch(request, reply),
    });
  }

  private async fetch(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const arrivedAt = this.clock.now();
    const fetch = readFetch(request);
    if (!fetch.ok) return sendRefusal(request, reply, { status: 400, message: fetch.reason });
    const { positions, timeoutMs, offsetReset } = fetch.value;
    for (const topic of new Set(positions.map((position) => position.topic))) {
      const refusal = this.basic.judgeRight(request.raw, 'consume', topic);
      if (refusal !== undefined) return sendRefusal(request, reply, refusal);
    }
    const cursors = await this.place(positions, offsetReset);
    if ('status' in cursors) return sendRefusal(request, reply, cursors);
    const outside = cursors.find(isOutside);
    if (outside !== undefined) return sendRefusal(request, reply, outOfRange(outside));
    const isGone = await this.waitForAny(cursors, arrivedAt + timeoutMs, reply);
    if (isGone) return reply.hijack();
    return this.answer(request, reply, fetch.value, cursors);
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    fetch: EncodedFetch,
    cursors: readonly Cursor[],
  ): Promise<FastifyReply> {
    const { maxRecords: records, maxBytes: bytes, encoding, untilTimestamp } = fetch;
    const { inFlight, reads } = this;
    const read = new FairRead(reads, cursors, encoding, { records, bytes });
    const allowance = inFlight.roomFor(request, reply);
    try {
      return await sendRecords(inFlight, request, reply, read.parts(untilTimestamp, allowance));
    } catch (error) {
      // Retention, a purge or the end of the topic may have taken the records meanwhile.
      const now = await this.place(cursors, null);
      if ('status' in now) return sendRefusal(request, reply, now);
      const outside = now.find(isOutside);
      if (outside === undefined) throw error;
      return sendRefusal(request, reply, outOfRange(outside));
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
      if ('status' in log) return log;
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
    { raw }: FastifyReply,
  ): Promise<boolean> {
    const isReady = cursors.some(({ log, offset }) => log.highWatermark > offset);
    if (isReady || raw.closed || deadline <= this.clock.now()) return Promise.resolve(raw.closed);
    return new Promise((resolve) => {
      const end = () => {
        this.waiting.delete(end);
        raw.off('close', end);
        for (const cancel of cancels) cancel();
        resolve(raw.closed);
      };
      const cancels = cursors.map(({ log, offset }) => log.whenBeyond(offset, end));
      cancels.push(this.clock.after(deadline - this.clock.now(), end));
      raw.on('close', end);
      this.waiting.add(end);
    });
  }
}

function readFetch(request: FastifyRequest): Parsed<EncodedFetch> {
  const encoding = readEncoding(request.raw.rawHeaders);
  if (!encoding.ok) return encoding;
  const json = parseJson(rawBody(request));
  const fetch = json.ok ? parseFetch(json.value) : json;
  return fetch.ok ? parsed({ ...fetch.value, encoding: encoding.value }) : fetch;
}

function isOutside({ log, offset }: Cursor): boolean {
  return offset < log.startOffset || offset > log.highWatermark;
}

/** 416 carries the valid range, so that a reader can choose where to go on. */
function outOfRange({ topic, partition, log, offset }: Cursor): Refusal {
  const { startOffset: earliest, highWatermark: latest } = log;
  const { message } = new OffsetOutOfRange(offset, earliest, latest);
  return {
    status: 416,
    message: `partition ${partition} of ${topic}: ${message}`,
    details: { topic, partition, earliest, latest },
  };
}
