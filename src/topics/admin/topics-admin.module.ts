/** Wiring of what operators do with topics. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { Topics } from '../topics/topic.entity.js';
import { TopicsModule } from '../topics/topics.module.js';
import { TopicsAdmin } from './topics-admin.js';
import { TopicsAdminRoutes } from './topics-admin.routes.js';

@Module({ imports: [TopicsModule], providers: [TopicsAdmin, TopicsAdminRoutes] })
export class TopicsAdminModule {
  constructor(topics: Topics, admin: TopicsAdmin, table: RouteTable, routes: TopicsAdminRoutes) {
    topics.observe(admin.listener);
    table.add(routes);
  }
}
