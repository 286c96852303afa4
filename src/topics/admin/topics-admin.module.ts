/** Wiring of what operators do with topics. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { topicKind } from '../topics/topic.events.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicsAdminController } from './topics-admin.controller.js';
import { TopicsAdmin } from './topics-admin.js';

@Module({
  imports: [TopicAccessModule],
  controllers: [TopicsAdminController],
  providers: [TopicsAdmin],
})
export class TopicsAdminModule {
  constructor(table: RouteTable, admin: TopicsAdmin, engine: Engine) {
    engine.observe([topicKind], admin.listener);
    table.beforeClose(() => admin.stopWaiting());
  }
}
