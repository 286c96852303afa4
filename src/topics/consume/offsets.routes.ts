/** `/commit`, `/committed` and `/seek`: the progress of groups (topics.md 4.4 and 4.6). */
import { Injectable } from '@nestjs/common';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import { answerJson } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import { success } from '../../http/success.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import { GroupRights } from '../offsets/group-rights.js';
import { parseTimeout } from '../records/read-limits.js';
import { Commits } from '../sessions/commits.js';
import { parseGeneration, parseReceived } from '../sessions/consume.request.js';
import { parseCommits, parsePlaces } from '../sessions/offsets.request.js';
import { Seeks } from '../sessions/seeks.js';
import { parseSeeks } from '../sessions/seeks.request.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { consumerRoutes } from './consumers.openapi.js';
import { placeIn } from './place-in.js';

/** A commit is durable when it is answered; 507 if there is no disk space for it. */
@Injectable()
export class OffsetsRoutes {
  readonly routes: readonly Route[] = [
    {
      methods: ['GET', 'POST'],
      pattern: '/commit/:group/:instance',
      description: consumerRoutes.commit,
      serve: (exchange) => this.commit(exchange),
    },
    {
      methods: ['GET', 'POST'],
      pattern: '/committed/:group/:instance',
      description: consumerRoutes.committed,
      serve: (exchange) => this.committed(exchange),
    },
    {
      methods: ['POST'],
      pattern: '/seek/:group/:instance',
      description: consumerRoutes.seek,
      serve: (exchange) => this.seek(exchange),
    },
  ];

  constructor(
    private readonly commits: Commits,
    private readonly seeks: Seeks,
    private readonly offsets: CommittedOffsets,
    private readonly topicLogs: TopicLogs,
    private readonly rights: GroupRights,
  ) {}

  private async commit(exchange: FastifyExchange): Promise<void> {
    const place = placeIn(exchange);
    const commits = valueIn(parseCommits(exchange.body));
    const { rawHeaders } = exchange.request;
    const generation = valueIn(parseGeneration(rawHeaders));
    const received = valueIn(parseReceived(rawHeaders));
    refuseIf(this.rights.judgePlaces(exchange.request, place.group, commits));
    refuseIf(await this.commits.commit(place, commits, { generation, received }));
    answerJson(exchange, success);
  }

  private async committed(exchange: FastifyExchange): Promise<void> {
    const { offsets, topicLogs } = this;
    const { group } = placeIn(exchange);
    const places = valueIn(parsePlaces(exchange.body));
    valueIn(parseTimeout(exchange.query['timeout']));
    refuseIf(this.rights.judgePlaces(exchange.request, group, places, 'read'));
    answerIn(await topicLogs.partitions(places));
    const found = places.map(({ topic, partition }) => {
      const offset = offsets.find(group, { topic, partition })?.committed ?? -1;
      return { topic, partition, offset };
    });
    await offsets.durable();
    answerJson(exchange, found);
  }

  private async seek(exchange: FastifyExchange): Promise<void> {
    const place = placeIn(exchange);
    const seeks = valueIn(parseSeeks(exchange.body));
    refuseIf(this.rights.judgePlaces(exchange.request, place.group, seeks));
    answerJson(exchange, answerIn(await this.seeks.seek(place, seeks)));
  }
}
