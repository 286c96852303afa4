/** `/topics` and `/offsets/{timestamp}`: what there is to read (topics.md 3.2 and 3.3). */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { parseJson } from '../../grammar/json.js';
import { sendRefusal } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { Topics } from '../topics/topic.entity.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { type OffsetQuery, parseOffsetQuery, parseTopicPartitions } from './fetch.request.js';

const jsonType = 'application/json; charset=utf-8';

@Injectable()
export class TopicsRoutes implements HotRoutes {
  constructor(
    private readonly topics: Topics,
    private readonly topicLogs: TopicLogs,
    private readonly basic: BasicCredentials,
  ) {}

  register(fastify: FastifyInstance): void {
    const config = { description: topicRoutes.list };
    fastify.get('/topics', { config }, async (request, reply) => {
      const shown = await this.topics.shown(() => {
        const names = this.topics.names().filter((name) => this.basic.mayName(request.raw, name));
        return names.map((name) => [name, this.topics.partitionsOf(name)] as const);
      });
      return answer(reply, Object.fromEntries(shown));
    });
    fastify.route<{ Params: { timestamp: string } }>({
      method: ['GET', 'POST'],
      url: '/offsets/:timestamp',
      config: { description: topicRoutes.offsets },
      handler: (request, reply) => this.offsets(request, reply, request.params.timestamp),
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
      const refusal = this.basic.judgeRight(request.raw, 'consume', topic);
      if (refusal !== undefined) return sendRefusal(request, reply, refusal);
      const log = await this.topicLogs.partition({ topic, partition });
      if ('status' in log) return sendRefusal(request, reply, log);
      found.push({ topic, partition, offset: await offsetOf(log, query.value) });
    }
    return answer(reply, found);
  }
}

async function offsetOf(log: PartitionLog, query: OffsetQuery): Promise<number> {
  if (query === 'earliest') return log.startOffset;
  return query === 'latest' ? log.highWatermark : log.offsetFor(query);
}

function answer(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header('content-type', jsonType).send(JSON.stringify(body));
}
