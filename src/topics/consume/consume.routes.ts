/** `/consume`: records for an instance of a group (topics.md 4.1). */
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { parseJson } from '../../grammar/json.js';
import type { Parsed } from '../../grammar/parsed.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { type Refusal, sendRefusal } from '../../http/error-shapes.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import type { TopicPartition } from '../groups/topic-partition.js';
import { GroupRights } from '../offsets/group-rights.js';
import { readEncoding } from '../records/payload-encoding.js';
import { sendRecords } from '../records/records-answer.js';
import {
  type ConsumeRequest,
  parseConsume,
  parseConsumePath,
  parseJoinOptions,
} from '../sessions/consume.request.js';
import type { ConsumerSession } from '../sessions/consumer-session.js';
import { ConsumerSessions } from '../sessions/consumer-sessions.js';
import { ConsumersService } from '../sessions/consumers.service.js';
import { StartPositions } from '../sessions/start-positions.js';
import type { TopicSettings } from '../settings.js';
import { ConsumeAnswer } from './consume-answer.js';
import { ConsumeCall } from './consume-call.js';
import { ConsumeStream, type StreamFormat, streamFormatOf } from './consume-stream.js';
import { consumerRoutes } from './consumers.openapi.js';
import { Polls, type PollTerms } from './poll.js';
import { parseCursor } from './stream-cursor.js';

type Target = { Params: ConsumerPlace & { topic: string }; Querystring: { timeout?: unknown } };

@Injectable()
export class ConsumeRoutes implements HotRoutes {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly sessions: ConsumerSessions,
    private readonly starts: StartPositions,
    private readonly polls: Polls,
    private readonly rights: GroupRights,
    private readonly inFlight: InFlight,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly config: Pick<TopicSettings, 'consumerIdleMs'>,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.addHook('preClose', async () => this.sessions.dismiss());
    fastify.route<Target>({
      method: ['GET', 'POST'],
      url: '/consume/:group/:instance',
      config: { description: consumerRoutes.consume },
      handler: (request, reply) => {
        const json = parseJson(rawBody(request));
        return this.consume(request, reply, json.ok ? parseConsume(json.value) : json);
      },
    });
    fastify.get<Target>(
      '/consume/:group/:instance/:topic',
      { config: { description: consumerRoutes.consumeTopic } },
      (request, reply) => {
        const { params, query } = request;
        return this.consume(request, reply, parseConsumePath(params.topic, query.timeout));
      },
    );
  }

  private async consume(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
    consume: Parsed<ConsumeRequest>,
  ): Promise<FastifyReply> {
    const { rawHeaders, headers } = request.raw;
    const encoding = readEncoding(rawHeaders);
    if (!consume.ok) return sendRefusal(request, reply, { status: 400, message: consume.reason });
    if (!encoding.ok) {
      return sendRefusal(request, reply, { status: 400, message: encoding.reason });
    }
    const { consumers, rights } = this;
    const { topics, timeoutMs } = consume.value;
    const { group } = request.params;
    const grant = rights.admit(request.raw, group, topics);
    if ('status' in grant) return sendRefusal(request, reply, grant);
    const until = this.clock.now() + timeoutMs;
    const options = () => parseJoinOptions(rawHeaders, this.config.consumerIdleMs);
    const session = await consumers.enter(request.params, topics, grant, options);
    if ('status' in session) return sendRefusal(request, reply, session);
    // A client that is gone already gets no turn.
    if (reply.raw.closed) return reply;
    const call = new ConsumeCall(this.sessions, this.starts, session, reply.raw);
    if (!(await call.enter(until))) return sendRefusal(request, reply, overlap(session));
    const mayRead = () =>
      session.subscribesTo(topics) && rights.judge(request.raw, group, topics) === undefined;
    const terms = { ...consume.value, until, encoding: encoding.value, mayRead };
    const format = streamFormatOf(headers.accept);
    return format === null
      ? this.answer(request, reply, call, terms)
      : this.stream(request, reply, call, terms, format);
  }

  private async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    call: ConsumeCall,
    terms: PollTerms,
    format: StreamFormat,
  ): Promise<FastifyReply> {
    const { 'last-event-id': id } = request.raw.headers;
    const received = parseCursor(typeof id === 'string' ? id : undefined);
    if (!received.ok) return sendRefusal(request, reply, { status: 400, message: received.reason });
    reply.hijack();
    const allowance = this.inFlight.of(request, reply);
    const reader = { response: reply.raw, allowance };
    const stream = new ConsumeStream(this.polls, this.clock, call, reader, format, terms);
    await stream.run(received.value);
    return reply;
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    call: ConsumeCall,
    terms: PollTerms,
  ): Promise<FastifyReply> {
    const { polls, inFlight } = this;
    const allowance = inFlight.roomFor(request, reply);
    const begun = await new ConsumeAnswer(polls, call, terms, allowance).begin();
    if ('undecided' in begun) return sendRefusal(request, reply, undecided(begun.undecided));
    reply.header('stream-generation', String(call.session.generation));
    return sendRecords(inFlight, request, reply, begun.parts);
  }
}

function overlap({ place: { group, instance } }: ConsumerSession): Refusal {
  return {
    status: 409,
    message: `instance ${instance} of group ${group} is being called already`,
  };
}

function undecided(partitions: readonly TopicPartition[]): Refusal {
  const places = partitions.map(({ topic, partition }) => `${topic}/${partition}`);
  return {
    status: 409,
    message: `no offset to begin at, and the reset policy is none: ${places.join(', ')}`,
  };
}
