/** Wiring of what is done with records: produced, fetched, and told where they are. */
import { Inject, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { durabilityOf } from '../../http/durability.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { ProduceByPathRoute, ProduceRoute } from '../produce/produce.routes.js';
import { ProduceCalls } from '../produce/produce-calls.js';
import { Producer } from '../produce/producer.js';
import { RecordAppender } from '../produce/record-appender.js';
import { WebhookRoute } from '../produce/webhook.routes.js';
import type { TopicSettings } from '../settings.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicsService } from '../topics/topics.service.js';
import { FetchRoute } from './fetch.routes.js';
import { TopicsRoutes } from './topics.routes.js';

/** What a request may bring to one partition must fit into one append: 32 MiB with its frames. */
const requestBytesMax = 31 * 1024 * 1024;

@Module({ imports: [TopicAccessModule] })
export class TopicsModule {
  constructor(
    table: RouteTable,
    topics: TopicsService,
    engine: Engine,
    intake: Intake,
    basic: BasicCredentials,
    @Inject(provided.config) config: TopicSettings,
    @Inject(provided.clock) clock: Clock,
  ) {
    const limits = {
      recordBytesMax: config.maxBodyBytes,
      requestBytesMax: Math.min(config.maxBatchBytes, requestBytesMax),
    };
    const producer = new Producer(topics, new RecordAppender(clock));
    const calls = new ProduceCalls(producer, basic, intake, durabilityOf(config));
    const fetch = new FetchRoute(topics, basic, clock);
    table.add(
      new ProduceRoute('/produce/:topic', calls, limits),
      new ProduceRoute('/produce', calls, limits),
      new ProduceByPathRoute(calls, limits.recordBytesMax),
      new WebhookRoute(calls, limits.recordBytesMax),
      fetch,
      ...new TopicsRoutes(topics, basic, engine).routes,
    );
    table.beforeClose(() => fetch.answerWaiting());
  }
}
