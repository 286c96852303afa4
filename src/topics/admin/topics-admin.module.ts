/** Wiring of what operators do with topics. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/route-table.js';
import type { TopicSettings } from '../settings.js';
import { topicKind } from '../topics/topic.events.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsService } from '../topics/topics.service.js';
import { TopicsAdminController } from './topics-admin.controller.js';
import { TopicsAdmin } from './topics-admin.js';

@Module({
  imports: [TopicAccessModule],
  controllers: [TopicsAdminController],
  providers: [
    {
      provide: TopicsAdmin,
      inject: [Engine, TopicsService, TopicLogs, provided.config, provided.clock],
      useFactory: topicsAdmin,
    },
  ],
})
export class TopicsAdminModule {
  constructor(table: RouteTable, admin: TopicsAdmin) {
    table.beforeClose(() => admin.stopWaiting());
  }
}

function topicsAdmin(
  engine: Engine,
  service: TopicsService,
  logs: TopicLogs,
  { topicPartitions: partitions, topicRetentionMs: retentionMs }: TopicSettings,
  clock: Clock,
): TopicsAdmin {
  const admin = new TopicsAdmin(engine, service, logs, clock, { partitions, retentionMs });
  engine.observe([topicKind], admin.listener);
  return admin;
}
