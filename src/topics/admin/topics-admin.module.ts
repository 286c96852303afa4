/** Wiring of what operators do with topics. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import type { TopicSettings } from '../settings.js';
import { topicKind } from '../topics/topic.events.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsService } from '../topics/topics.service.js';
import { TopicsAdmin } from './topics-admin.js';
import { TopicsAdminRoutes } from './topics-admin.routes.js';

@Module({
  imports: [TopicAccessModule],
  providers: [
    {
      provide: TopicsAdmin,
      inject: [Engine, TopicsService, TopicLogs, provided.config, provided.clock],
      useFactory: topicsAdmin,
    },
  ],
})
export class TopicsAdminModule {
  constructor(table: RouteTable, admin: TopicsAdmin, basic: BasicCredentials, intake: Intake) {
    table.add(new TopicsAdminRoutes(admin, basic, intake));
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
