/** `/commit` and `/committed`: how far groups are (topics.md 4.4). */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendRefusal } from '../../http/error-shapes.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import { GroupRights } from '../offsets/group-rights.js';
import { Commits } from '../sessions/commits.js';
import { parseGeneration, parseTimeout } from '../sessions/consume.request.js';
import { parseCommits, parsePlaces } from '../sessions/offsets.request.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { consumerRoutes } from './consumers.openapi.js';

type Target = { Params: ConsumerPlace; Querystring: { timeout?: unknown } };

const method = ['GET', 'POST'];
const jsonType = 'application/json; charset=utf-8';
const committedTimeoutMs = 10_000;
const success = JSON.stringify({ result: 'Success', status: 200 });

@Injectable()
export class OffsetsRoutes implements HotRoutes {
  constructor(
    private readonly commits: Commits,
    private readonly offsets: CommittedOffsets,
    private readonly topicLogs: TopicLogs,
    private readonly rights: GroupRights,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.route<Target>({
      method,
      url: '/commit/:group/:instance',
      config: { description: consumerRoutes.commit },
      handler: (request, reply) => this.commit(request, reply),
    });
    fastify.route<Target>({
      method,
      url: '/committed/:group/:instance',
      config: { description: consumerRoutes.committed },
      handler: (request, reply) => this.committed(request, reply),
    });
  }

  private async commit(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const refuse = (message: string) => sendRefusal(request, reply, { status: 400, message });
    const positions = parseCommits(rawBody(request));
    if (!positions.ok) return refuse(positions.reason);
    const generation = parseGeneration(request.raw.rawHeaders);
    if (!generation.ok) return refuse(generation.reason);
    const forbidden = this.rights.judgePlaces(request.raw, request.params.group, positions.value);
    if (forbidden !== undefined) return sendRefusal(request, reply, forbidden);
    const refusal = await this.commits.commit(request.params, positions.value, generation.value);
    if (refusal !== null) return sendRefusal(request, reply, refusal);
    return reply.header('content-type', jsonType).send(success);
  }

  private async committed(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const refuse = (message: string) => sendRefusal(request, reply, { status: 400, message });
    const places = parsePlaces(rawBody(request));
    if (!places.ok) return refuse(places.reason);
    const timeout = parseTimeout(request.query.timeout, committedTimeoutMs);
    if (!timeout.ok) return refuse(timeout.reason);
    const forbidden = this.rights.judgePlaces(request.raw, request.params.group, places.value);
    if (forbidden !== undefined) return sendRefusal(request, reply, forbidden);
    const logs = await this.topicLogs.partitions(places.value);
    if ('status' in logs) return sendRefusal(request, reply, logs);
    const found = places.value.map(({ topic, partition }) => {
      const offset = this.offsets.find(request.params.group, { topic, partition })?.committed ?? -1;
      return { topic, partition, offset };
    });
    await this.offsets.durable();
    return reply.header('content-type', jsonType).send(JSON.stringify(found));
  }
}
