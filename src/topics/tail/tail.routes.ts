/** `/tail/{topic}`: streams a topic as it grows, without a group (topics.md 3.4). */
import { Inject, Injectable } from '@nestjs/common';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { EventStream } from '../../http/bytes/event-stream.js';
import { StreamPlaces } from '../../http/bytes/stream-places.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import { readEncoding } from '../records/record-text.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { newestShares } from './newest-shares.js';
import { tailRoute } from './tail.openapi.js';
import {
  parseLastId,
  parseTailQuery,
  type TailHad,
  type TailQuestion,
  type TailStart,
} from './tail.request.js';
import { type TailPlace, TailStream, tooManyPartitions } from './tail-stream.js';

/** The most streams at once, because each of them reads from the logs. */
const streamsMax = 64;

const busy = new Refusal(
  'unavailable',
  `${streamsMax} clients tail topics: no more can at the same time`,
  { 'retry-after': '10' },
);

/** Requires the right to read the topic; 503 if too many streams are open. */
@Injectable()
export class TailRoute implements FastifyRoute {
  readonly methods = ['GET'];
  readonly pattern = '/tail/:topic';
  readonly description = tailRoute;
  private readonly streams = new StreamPlaces<TailStream>(streamsMax);

  constructor(
    private readonly topicLogs: TopicLogs,
    private readonly basic: BasicCredentials,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {
    topicLogs.onPartitions((topic) => {
      for (const stream of this.streams) if (stream.topic === topic) stream.grew();
    });
  }

  /** Number of open streams. */
  get size(): number {
    return this.streams.size;
  }

  /** Ends all streams, because the server stops; clients resume where they were. */
  endAll(): void {
    this.streams.stop();
  }

  async serve(exchange: FastifyExchange): Promise<void> {
    const { request, response } = exchange;
    const topic = exchange.param('topic');
    const mayRead = () => this.basic.judgeRight(request, 'read', topic);
    refuseIf(mayRead());
    const question = valueIn(parseTailQuery(exchange.target));
    const encoding = valueIn(readEncoding(request.rawHeaders));
    const had = valueIn(parseLastId(request.headers['last-event-id']));
    const places = answerIn(await this.placesOf(topic, question, had));
    if (!this.streams.hasPlace) return exchange.refuse(busy);
    const serve = this.streams.keepPlace();
    const allowance = exchange.hijack();
    const exists = () => places.every(({ log, partition }) => this.isOpen(topic, partition, log));
    const stream = new TailStream(places, {
      topic,
      events: new EventStream({ response, allowance }, this.clock),
      encoding,
      all: () => (question.partition === null ? this.topicLogs.present(topic) : []),
      isSelected: filterOf(question),
      continues: () => mayRead() === undefined && exists(),
    });
    await serve(stream, () => stream.run());
  }

  private isOpen(topic: string, partition: number, log: PartitionLog): boolean {
    return this.topicLogs.present(topic)[partition] === log;
  }

  /** Where each partition is read from: after what the client has, or else as the query asks. */
  private async placesOf(
    topic: string,
    { start, partition }: TailQuestion,
    had: TailHad,
  ): Promise<readonly TailPlace[] | Refusal> {
    const only = await this.topicLogs.partition({ topic, partition: partition ?? 0 });
    if (only instanceof Refusal) return only;
    const all = partition === null ? this.topicLogs.present(topic) : [only];
    const refusal = tooManyPartitions(topic, all.length);
    if (refusal !== null) return refusal;
    const sizes = all.map((log) => log.highWatermark - log.startOffset);
    const shares = 'newest' in start ? newestShares(sizes, start.newest) : [];
    const places: TailPlace[] = [];
    for (const [index, log] of all.entries()) {
      const number = partition ?? index;
      // An id names all partitions that its stream had, so a missing one was added later.
      const isAdded = had.size > 0 && partition === null;
      const first = isAdded ? log.startOffset : await offsetOf(log, start, shares[index] ?? 0);
      const wanted = had.get(number) ?? first;
      const next = Math.min(Math.max(wanted, log.startOffset), log.highWatermark);
      places.push({ partition: number, log, next });
    }
    return places;
  }
}

async function offsetOf(log: PartitionLog, start: TailStart, share: number): Promise<number> {
  if ('offset' in start) return start.offset;
  if ('time' in start) return log.offsetFor(start.time);
  return log.highWatermark - share;
}

/** The filter for records; keys and values are compared as bytes. */
function filterOf({ key, contains }: TailQuestion): (record: LogRecord) => boolean {
  const wantedKey = key === null ? null : Buffer.from(key);
  const part = contains === null ? null : Buffer.from(contains);
  return (record) => {
    if (wantedKey !== null && record.key?.equals(wantedKey) !== true) return false;
    return part === null || record.value?.includes(part) === true;
  };
}
