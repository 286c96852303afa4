/** Wiring of the administration of topics. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { Topics } from '../topics/topic.entity.js';
import { TopicsModule } from '../topics/topics.module.js';
import { TopicsAdminController } from './topics-admin.controller.js';
import { TopicsAdmin } from './topics-admin.js';

/**
 * A stop answers the deletions that wait: they are already decided, and continue at the next start.
 */
@Module({
  imports: [TopicsModule],
  controllers: [TopicsAdminController],
  providers: [TopicsAdmin],
})
export class TopicsAdminModule {
  constructor(table: RouteTable, admin: TopicsAdmin, topics: Topics) {
    topics.observe(admin.listener);
    table.beforeClose(() => admin.stopWaiting());
  }
}
