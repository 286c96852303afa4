/** Wiring of reads without a group: records from given positions, and where records are. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { TopicsModule } from '../topics/topics.module.js';
import { FetchRoutes } from './fetch.routes.js';
import { TopicsRoutes } from './topics.routes.js';

@Module({ imports: [TopicsModule], providers: [FetchRoutes, TopicsRoutes] })
export class FetchModule {
  constructor(table: RouteTable, fetch: FetchRoutes, topics: TopicsRoutes) {
    table.add(fetch);
    table.add(topics);
  }
}
