/** `/consume`: records for an instance of a group (topics.md 4.1). */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { parseJson } from '../../grammar/json.js';
import { Refusal, type Result } from '../../grammar/result.js';
import { answerIn, valueIn } from '../../http/outcome.js';
import type { RequestHead } from '../../http/request-head.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import { GroupRights } from '../offsets/group-rights.js';
import { readEncoding } from '../records/record-text.js';
import { sendRecords } from '../records/records-answer.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';
import {
  type ConsumeRequest,
  parseConsume,
  parseConsumePath,
  parseJoinOptions,
  parseReceived,
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
import { placeIn } from './place-in.js';
import { Polls, type PollTerms } from './poll.js';
import { parseCursor } from './stream-cursor.js';

/**
 * 403 comes before any answer that reveals whether a group, instance or topic exists. A call that
 * finds no records waits for them as long as it may, and holds no memory meanwhile.
 */
@Injectable()
export class ConsumeRoutes {
  readonly routes: readonly Route[] = [
    {
      methods: ['GET', 'POST'],
      pattern: '/consume/:group/:instance',
      description: consumerRoutes.consume,
      serve: (exchange) => {
        const json = parseJson(exchange.body);
        return this.consume(exchange, json.ok ? parseConsume(json.value) : json);
      },
    },
    {
      methods: ['GET'],
      pattern: '/consume/:group/:instance/:topic',
      description: consumerRoutes.consumeTopic,
      serve: (exchange) => {
        const { timeout } = exchange.query;
        return this.consume(exchange, parseConsumePath(exchange.param('topic'), timeout));
      },
    },
  ];

  constructor(
    private readonly consumers: ConsumersService,
    private readonly sessions: ConsumerSessions,
    private readonly starts: StartPositions,
    private readonly polls: Polls,
    private readonly rights: GroupRights,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly config: Pick<TopicSettings, 'consumerIdleMs'>,
  ) {}

  private async consume(exchange: FastifyExchange, read: Result<ConsumeRequest>): Promise<void> {
    const { consumers, rights } = this;
    const { request, response } = exchange;
    const { rawHeaders } = request;
    const consume = valueIn(read);
    const encoding = valueIn(readEncoding(rawHeaders));
    const { topics, timeoutMs } = consume;
    const place = placeIn(exchange);
    const format = streamFormatOf(request.headers.accept);
    const positions = valueIn(cursorOf(request, format));
    const grant = answerIn(rights.admit(request, place.group, topics));
    const who = { grant, by: exchange.caller, received: valueIn(parseReceived(rawHeaders)) };
    const until = this.clock.monotonic() + timeoutMs;
    const options = () => parseJoinOptions(rawHeaders, this.config.consumerIdleMs);
    const session = answerIn(await consumers.enter(place, topics, who, options));
    // A client that has already disconnected gets no turn.
    if (response.closed) return;
    const { received } = who;
    const call = new ConsumeCall(this.sessions, this.starts, session, response, received);
    if (!(await call.enter(until))) return exchange.refuse(overlap(session));
    const mayRead = () =>
      session.subscribesTo(topics) && rights.judge(request, place.group, topics) === undefined;
    const terms = { until, encoding, mayRead, ...consume };
    if (format === null) return this.answer(exchange, call, terms);
    const reader = { response, format, allowance: exchange.hijack() };
    await new ConsumeStream(this.polls, this.clock, call, reader, terms).run(positions);
  }

  private async answer(
    exchange: FastifyExchange,
    call: ConsumeCall,
    terms: PollTerms,
  ): Promise<void> {
    const begun = await new ConsumeAnswer(this.polls, call, terms, exchange.room).begin();
    if ('undecided' in begun) return exchange.refuse(undecided(begun.undecided));
    exchange.header('stream-generation', String(call.session.generation));
    exchange.header('stream-ack-id', call.answerId());
    await sendRecords(exchange, begun.parts);
  }
}

/**
 * The positions that the reader of a stream has reached; none for a single answer, whose records
 * have no ids.
 */
function cursorOf(
  { headers: { 'last-event-id': id } }: RequestHead,
  format: StreamFormat | null,
): Result<readonly TopicPosition[]> {
  return parseCursor(format !== null && typeof id === 'string' ? id : undefined);
}

function overlap({ place: { group, instance } }: ConsumerSession): Refusal {
  return new Refusal('conflict', `instance ${instance} of group ${group} is being called already`);
}

function undecided(partitions: readonly TopicPartition[]): Refusal {
  const places = partitions.map(({ topic, partition }) => `${topic}/${partition}`);
  return new Refusal(
    'conflict',
    `no offset to begin at, and the reset policy is none: ${places.join(', ')}`,
  );
}
