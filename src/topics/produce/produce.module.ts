/** Wiring of the routes that append records, and of the producer. */
import { Inject, Module } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/route-table.js';
import type { TopicSettings } from '../settings.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ProduceByPathRoute, ProduceRoute } from './produce.routes.js';
import { ProduceCalls } from './produce-calls.js';
import { Producer } from './producer.js';
import { RecordAppender } from './record-appender.js';
import { ProduceWebhookRoute } from './webhook.routes.js';

/**
 * The records of a request for one partition must fit into one append: 32 MiB with their frames.
 */
const requestBytesMax = 31 * 1024 * 1024;

/** `STEPWELL_MAX_BODY` bounds a record; `STEPWELL_MAX_BATCH` and 31 MiB bound a request. */
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
    table.add(
      new ProduceRoute('/produce/:topic', calls, limits),
      new ProduceRoute('/produce', calls, limits),
      new ProduceByPathRoute(calls, recordBytesMax),
      new ProduceWebhookRoute(calls, recordBytesMax),
    );
  }
}
