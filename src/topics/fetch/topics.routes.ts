/**
 * `/topics` and `/offsets/{timestamp}`: which topics and offsets can be read (topics.md 3.2 and
 * 3.3).
 */
import { Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { parseJson } from '../../grammar/json.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import { answerJson, type Exchange } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import { parseTimeout } from '../records/read-limits.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { Topics } from '../topics/topic.entity.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { type OffsetQuery, parseOffsetQuery, parseTopicPartitions } from './fetch.request.js';

/**
 * The list contains only topics that the credential may read or write; offsets require the right to
 * read.
 */
@Injectable()
export class TopicsRoutes {
  readonly routes: readonly Route[] = [
    {
      methods: ['GET'],
      pattern: '/topics',
      description: topicRoutes.list,
      serve: (exchange) => this.list(exchange),
    },
    {
      methods: ['GET', 'POST'],
      pattern: '/offsets/:timestamp',
      description: topicRoutes.offsets,
      serve: (exchange) => this.offsets(exchange),
    },
  ];

  constructor(
    private readonly topics: Topics,
    private readonly topicLogs: TopicLogs,
    private readonly basic: BasicCredentials,
  ) {}

  private async list(exchange: Exchange): Promise<void> {
    const shown = await this.topics.shown(() => {
      const all = this.topics.names();
      const names = all.filter((name) => this.basic.mayName(exchange.request, name));
      return names.map((name) => [name, this.topics.partitionsOf(name)] as const);
    });
    answerJson(exchange, Object.fromEntries(shown));
  }

  private async offsets(exchange: FastifyExchange): Promise<void> {
    const query = valueIn(parseOffsetQuery(exchange.param('timestamp')));
    const places = valueIn(parseTopicPartitions(valueIn(parseJson(exchange.body))));
    valueIn(parseTimeout(exchange.query['timeout']));
    const found = [];
    for (const { topic, partition } of places) {
      refuseIf(this.basic.judgeRight(exchange.request, 'read', topic));
      const log = answerIn(await this.topicLogs.partition({ topic, partition }));
      found.push({ topic, partition, offset: await offsetOf(log, query) });
    }
    answerJson(exchange, found);
  }
}

async function offsetOf(log: PartitionLog, query: OffsetQuery): Promise<number> {
  if (query === 'earliest') return log.startOffset;
  return query === 'latest' ? log.highWatermark : log.offsetFor(query);
}
