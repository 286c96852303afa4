/** Wiring of what is done with records: produced, fetched, and told where they are. */
import { Inject, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { durabilityOf } from '../../http/durability.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { ProduceByGetRoutes, ProduceRoute } from '../produce/produce.routes.js';
import { ProduceCalls } from '../produce/produce-calls.js';
import { Producer } from '../produce/producer.js';
import { RecordAppender } from '../produce/record-appender.js';
import { WebhookRoutes } from '../produce/webhook.routes.js';
import type { TopicSettings } from '../settings.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicsService } from '../topics/topics.service.js';
import { FetchRoutes } from './fetch.routes.js';
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
    inFlight: InFlight,
    @Inject(provided.config) config: TopicSettings,
    @Inject(provided.clock) clock: Clock,
  ) {
    const limits = {
      recordBytesMax: config.maxBodyBytes,
      requestBytesMax: Math.min(config.maxBatchBytes, requestBytesMax),
    };
    const producer = new Producer(topics, new RecordAppender(clock));
    const calls = new ProduceCalls(producer, basic, intake, durabilityOf(config));
    const produce = (['/produce/:topic', '/produce'] as const).map(
      (pattern) => new ProduceRoute(pattern, calls, limits),
    );
    for (const route of produce) table.addExpress(route);
    table.add(new ProduceByGetRoutes(produce, calls, limits.recordBytesMax));
    table.add(new WebhookRoutes(calls, limits.recordBytesMax));
    table.add(new FetchRoutes(topics, basic, clock, inFlight));
    table.add(new TopicsRoutes(topics, basic, engine));
  }
}
