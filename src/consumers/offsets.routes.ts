/** `/commit` and `/committed`: how far groups are (spec: Endpoints; log protocol 2.5). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BasicCredentials } from '../http/basic-auth.js';
import { type Refusal, sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { rawBody } from '../http/raw-body.js';
import { parseGeneration, parseTimeout } from './consume.request.js';
import type { ConsumerPlace } from './consumer.events.js';
import type { Consumers } from './consumers.js';
import { consumerRoutes } from './consumers.openapi.js';
import { parseCommits, parsePlaces } from './offsets.request.js';
import type { TopicPartition } from './topic-partition.js';

type Target = { Params: ConsumerPlace; Querystring: { timeout?: unknown } };

const method = ['GET', 'POST'];
const jsonType = 'application/json; charset=utf-8';
const committedTimeoutMs = 10_000;
const success = JSON.stringify({ result: 'Success', status: 200 });

export class OffsetsRoutes implements HotRoutes {
  constructor(
    private readonly consumers: Consumers,
    private readonly credentials: BasicCredentials,
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
    const asked = parseCommits(rawBody(request));
    if (!asked.ok) return refuse(asked.reason);
    const generation = parseGeneration(request.raw.rawHeaders);
    if (!generation.ok) return refuse(generation.reason);
    const known = this.consumers.desk.find(request.params);
    if ('status' in known) return sendRefusal(request, reply, known);
    const missing = await this.judge(request, asked.value);
    if (missing !== null) return sendRefusal(request, reply, missing);
    const { commits } = this.consumers;
    const refusal = await commits.commit(request.params, asked.value, generation.value);
    if (refusal !== null) return sendRefusal(request, reply, refusal);
    return reply.header('content-type', jsonType).send(success);
  }

  private async committed(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const refuse = (message: string) => sendRefusal(request, reply, { status: 400, message });
    const { offsets } = this.consumers;
    const places = parsePlaces(rawBody(request));
    if (!places.ok) return refuse(places.reason);
    const timeout = parseTimeout(request.query.timeout, committedTimeoutMs);
    if (!timeout.ok) return refuse(timeout.reason);
    const missing = await this.judge(request, places.value);
    if (missing !== null) return sendRefusal(request, reply, missing);
    const found = places.value.map(({ topic, partition }) => {
      const offset = offsets.find(request.params.group, { topic, partition })?.committed ?? -1;
      return { topic, partition, offset };
    });
    await offsets.durable();
    return reply.header('content-type', jsonType).send(JSON.stringify(found));
  }

  /** Why somebody may not look at these partitions: 403, or 404 where there are none. */
  private async judge(
    request: FastifyRequest,
    places: readonly TopicPartition[],
  ): Promise<Refusal | null> {
    const { credentials } = this;
    const { topics } = this.consumers;
    if (places.length === 0) return credentials.judgeRight(request.raw, 'consume', null) ?? null;
    for (const { topic, partition } of places) {
      const forbidden = credentials.judgeRight(request.raw, 'consume', topic);
      if (forbidden !== undefined) return forbidden;
      const logs = await topics.logs(topic);
      if (logs === undefined) return { status: 404, message: `topic ${topic} not found` };
      if (logs[partition] === undefined) {
        return { status: 404, message: `${topic} has no partition ${partition}` };
      }
    }
    return null;
  }
}
