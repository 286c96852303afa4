/** Wiring of what appends records. */
import { Inject, Module } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import type { TopicSettings } from '../settings.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ProduceByGetRoutes, ProduceRoute } from './produce.routes.js';
import { ProduceCalls } from './produce-calls.js';
import { Producer } from './producer.js';
import { RecordAppender } from './record-appender.js';
import { WebhookRoutes } from './webhook.routes.js';

/** What a request may bring to one partition must fit into one append: 32 MiB with its frames. */
const requestBytesMax = 31 * 1024 * 1024;

@Module({ imports: [TopicsModule], providers: [RecordAppender, Producer, ProduceCalls] })
export class ProduceModule {
  constructor(
    table: RouteTable,
    calls: ProduceCalls,
    @Inject(provided.config) config: Pick<TopicSettings, 'maxBodyBytes' | 'maxBatchBytes'>,
  ) {
    const { maxBodyBytes: recordBytesMax, maxBatchBytes } = config;
    const limits = {
      recordBytesMax,
      requestBytesMax: Math.min(maxBatchBytes, requestBytesMax),
    };
    const routes = (['/produce/:topic', '/produce'] as const).map(
      (pattern) => new ProduceRoute(pattern, calls, limits),
    );
    for (const route of routes) table.addExpress(route);
    table.add(new ProduceByGetRoutes(routes, calls, recordBytesMax));
    table.add(new WebhookRoutes(calls, recordBytesMax));
  }
}
