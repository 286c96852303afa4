/** Wiring of the tails of topics. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { watchStreams } from '../../http/bytes/open-streams.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { TopicsModule } from '../topics/topics.module.js';
import { TailRoute } from './tail.routes.js';

/** A stop ends the streams before the doors close, because the doors wait for every answer. */
@Module({ imports: [TopicsModule], providers: [TailRoute] })
export class TailModule {
  constructor(table: RouteTable, tail: TailRoute, registry: Registry) {
    table.add(tail);
    watchStreams(registry, 'topic', () => tail.size);
    table.beforeClose(() => tail.endAll());
  }
}
