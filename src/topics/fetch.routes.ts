/** `/fetch`, `/offsets/{timestamp}` and `/topics`: reading without a group (log protocol 1.4). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PartitionLog } from '../../storage/partition-log.js';
import { OffsetOutOfRange } from '../../storage/storage-errors.js';
import type { Clock } from '../engine/clock.js';
import type { Engine } from '../engine/engine.js';
import { sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { parseJson } from '../http/json.js';
import { rawBody } from '../http/raw-body.js';
import {
  type OffsetQuery,
  type Position,
  parseFetch,
  parseOffsetQuery,
  parseTopicPartitions,
} from './fetch.request.js';
import { recordText } from './record-text.js';
import { topicRoutes } from './topics.openapi.js';
import type { TopicsDesk } from './topics-desk.js';

/**
 * Of one answer (log protocol 1.7); shared fairly between positions, always at least one record.
 */
const recordsMax = 500;
const bytesMax = 50 * 1024 * 1024;

const jsonType = 'application/json; charset=utf-8';
const method = ['GET', 'POST'];

/** A position with the log that it is in. */
interface Cursor extends Position {
  readonly log: PartitionLog;
}

export class FetchRoutes implements HotRoutes {
  /** Those that wait for records: a server that stops answers them with what there is. */
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly topics: TopicsDesk,
    private readonly engine: Engine,
    private readonly clock: Clock,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.addHook('preClose', async () => {
      for (const end of this.waiting) end();
    });
    const config = { description: topicRoutes.list };
    fastify.get('/topics', { config }, async (_request, reply) => {
      const list = this.topics.list();
      await this.engine.durable();
      return answer(reply, JSON.stringify(list));
    });
    fastify.route({
      method,
      url: '/fetch',
      config: { description: topicRoutes.fetch },
      handler: (request, reply) => this.fetch(request, reply),
    });
    fastify.route<{ Params: { timestamp: string } }>({
      method,
      url: '/offsets/:timestamp',
      config: { description: topicRoutes.offsets },
      handler: (request, reply) => this.offsets(request, reply, request.params.timestamp),
    });
  }

  private async fetch(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const json = parseJson(rawBody(request));
    const fetch = json.ok ? parseFetch(json.value) : json;
    if (!fetch.ok) return sendRefusal(request, reply, { status: 400, message: fetch.reason });
    const deadline = this.clock.now() + fetch.value.timeoutMs;
    const cursors: Cursor[] = [];
    for (const position of fetch.value.positions) {
      const log = await this.topics.forRead(position.topic, position.partition);
      if ('status' in log) return sendRefusal(request, reply, log);
      cursors.push({ ...position, log });
    }
    const outside = cursors.find(
      ({ log, offset }) => offset < log.startOffset || offset > log.highWatermark,
    );
    if (outside !== undefined) return outOfRange(reply, outside);
    await this.waitForAny(cursors, deadline);
    return answer(reply, await readAll(cursors));
  }

  /** Settles when one position has something to read, at the deadline, or when the server stops. */
  private waitForAny(cursors: readonly Cursor[], deadline: number): Promise<void> {
    if (cursors.some(({ log, offset }) => log.highWatermark > offset)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        this.waiting.delete(end);
        for (const cancel of cancels) cancel();
        resolve();
      };
      const cancels = cursors.map(({ log, offset }) => log.whenBeyond(offset, end));
      cancels.push(this.clock.after(Math.max(0, deadline - this.clock.now()), end));
      this.waiting.add(end);
    });
  }

  private async offsets(
    request: FastifyRequest,
    reply: FastifyReply,
    text: string,
  ): Promise<FastifyReply> {
    const query = parseOffsetQuery(text);
    if (!query.ok) return sendRefusal(request, reply, { status: 400, message: query.reason });
    const json = parseJson(rawBody(request));
    const places = json.ok ? parseTopicPartitions(json.value) : json;
    if (!places.ok) return sendRefusal(request, reply, { status: 400, message: places.reason });
    const found = [];
    for (const { topic, partition } of places.value) {
      const log = await this.topics.forRead(topic, partition);
      if ('status' in log) return sendRefusal(request, reply, log);
      found.push({ topic, partition, offset: await offsetOf(log, query.value) });
    }
    return answer(reply, JSON.stringify(found));
  }
}

/** One JSON array: the records of every position in order, each with its fair share. */
async function readAll(cursors: readonly Cursor[]): Promise<string> {
  const maxRecords = Math.max(1, Math.floor(recordsMax / cursors.length));
  const maxBytes = Math.max(1, Math.floor(bytesMax / cursors.length));
  const texts: string[] = [];
  for (const cursor of cursors) {
    const batches = await cursor.log.read(cursor.offset, { maxRecords, maxBytes });
    for (const batch of batches) {
      for (const record of batch.records()) texts.push(recordText(record, cursor));
    }
  }
  return `[${texts.join(',')}]`;
}

async function offsetOf(log: PartitionLog, query: OffsetQuery): Promise<number> {
  if (query === 'earliest') return log.startOffset;
  return query === 'latest' ? log.highWatermark : log.offsetFor(query);
}

/** 416 carries the valid range, so that a reader can choose where to go on. */
function outOfRange(reply: FastifyReply, { log, offset }: Cursor): FastifyReply {
  const { startOffset: earliest, highWatermark: latest } = log;
  const error = new OffsetOutOfRange(offset, earliest, latest).message;
  return answer(reply.code(416), JSON.stringify({ error, status: 416, earliest, latest }));
}

function answer(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', jsonType).send(json);
}
