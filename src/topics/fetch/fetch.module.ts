/** Wiring of reads without a group: records from given positions, and where records are. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { TopicsModule } from '../topics/topics.module.js';
import { FetchRoute } from './fetch.routes.js';
import { TopicsRoutes } from './topics.routes.js';

/** A stop answers fetches that wait with what there is. */
@Module({ imports: [TopicsModule], providers: [FetchRoute, TopicsRoutes] })
export class FetchModule {
  constructor(table: RouteTable, fetch: FetchRoute, topics: TopicsRoutes) {
    table.add(fetch, ...topics.routes);
    table.beforeClose(() => fetch.answerWaiting());
  }
}
