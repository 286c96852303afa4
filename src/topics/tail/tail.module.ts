/** Wiring of the tails of topics. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { TopicsModule } from '../topics/topics.module.js';
import { TailRoute } from './tail.routes.js';

@Module({ imports: [TopicsModule], providers: [TailRoute] })
export class TailModule {
  constructor(table: RouteTable, tail: TailRoute) {
    table.add(tail);
    table.beforeClose(() => tail.endAll());
  }
}
