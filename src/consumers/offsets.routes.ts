/** `/commit` and `/committed`: how far groups are (spec: Endpoints; log protocol 2.5). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../engine/clock.js';
import type { BasicCredentials } from '../http/basic-auth.js';
import { type Refusal, sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { rawBody } from '../http/raw-body.js';
import type { TopicAccess } from '../topics/topic-access.js';
import type { CommittedOffsets } from './committed-offsets.js';
import { parseGeneration, parseTimeout } from './consume.request.js';
import type { ConsumerPlace } from './consumer.events.js';
import type { ConsumerSession } from './consumer-session.js';
import type { ConsumerSessions } from './consumer-sessions.js';
import { consumerRoutes } from './consumers.openapi.js';
import type { ConsumersDesk } from './consumers-desk.js';
import type { GroupViews } from './group-views.js';
import { parseCommits, parsePlaces } from './offsets.request.js';
import type { TopicPartition, TopicPosition } from './positions.js';

type Target = { Params: ConsumerPlace; Querystring: { timeout?: unknown } };

const method = ['GET', 'POST'];
const jsonType = 'application/json; charset=utf-8';
const committedTimeoutMs = 10_000;
const success = JSON.stringify({ result: 'Success', status: 200 });

/** What the routes stand on. */
export interface OffsetsDesk {
  readonly consumers: ConsumersDesk;
  readonly sessions: ConsumerSessions;
  readonly views: GroupViews;
  readonly offsets: CommittedOffsets;
  readonly topics: TopicAccess;
  readonly credentials: BasicCredentials;
  readonly clock: Clock;
}

export class OffsetsRoutes implements HotRoutes {
  constructor(private readonly desk: OffsetsDesk) {}

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
    const known = this.desk.consumers.find(request.params);
    if ('status' in known) return sendRefusal(request, reply, known);
    const missing = await this.judge(request, asked.value);
    if (missing !== null) return sendRefusal(request, reply, missing);
    const session = this.desk.consumers.find(request.params);
    if ('status' in session) return sendRefusal(request, reply, session);
    const stale = this.staleness(session, asked.value, generation.value);
    if (stale !== null) return sendRefusal(request, reply, stale);
    this.store(session, asked.value);
    await this.desk.offsets.durable();
    return reply.header('content-type', jsonType).send(success);
  }

  /** Nothing waits between the look at who owns what and this. */
  private store(session: ConsumerSession, positions: readonly TopicPosition[]): void {
    const { offsets, sessions, clock } = this.desk;
    session.callBegan();
    if (positions.length === 0) sessions.commitWritten(session);
    offsets.commit(session.place.group, positions, clock.now());
    for (const position of positions) session.positions.storedByReader(position);
    session.callEnded();
  }

  /** Who is not in the group's generation, or does not own a partition, is told so. */
  private staleness(
    { place: { group, instance }, generation }: ConsumerSession,
    positions: readonly TopicPosition[],
    believed: number | null,
  ): Refusal | null {
    if (believed !== null && believed !== generation) {
      const message = `group ${group} is in generation ${generation}, not in ${believed}`;
      return { status: 409, message };
    }
    const owners = this.desk.views.find(group)?.owners;
    for (const { topic, partition } of positions) {
      const owner = owners?.get(topic)?.[partition] ?? instance;
      if (owner === instance) continue;
      const message = `partition ${partition} of ${topic} is owned by instance ${owner}`;
      return { status: 409, message };
    }
    return null;
  }

  private async committed(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const refuse = (message: string) => sendRefusal(request, reply, { status: 400, message });
    const { offsets } = this.desk;
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
    const { credentials, topics } = this.desk;
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
