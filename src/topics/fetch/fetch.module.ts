/** Wiring of reads without a group: records from given positions, and lookups of offsets. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { TopicsModule } from '../topics/topics.module.js';
import { FetchRoute } from './fetch.routes.js';
import { TopicsRoutes } from './topics.routes.js';

/** A stop answers waiting fetches with the records that exist. */
@Module({ imports: [TopicsModule], providers: [FetchRoute, TopicsRoutes] })
export class FetchModule {
  constructor(table: RouteTable, fetch: FetchRoute, topics: TopicsRoutes) {
    table.add(fetch, ...topics.routes);
    table.beforeClose(() => fetch.answerWaiting());
  }
}
