/** Wiring of the routes of consumer groups. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { GroupsModule } from '../groups/groups.module.js';
import { OffsetsModule } from '../offsets/offsets.module.js';
import { ConsumerSessions } from '../sessions/consumer-sessions.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ConsumeRoutes } from './consume.routes.js';
import { ConsumersRoutes } from './consumers.routes.js';
import { OffsetsRoutes } from './offsets.routes.js';
import { Polls } from './poll.js';
import { ShareReads } from './share-reads.js';

/** A stop ends waiting calls before the doors close, because the doors wait for every answer. */
@Module({
  imports: [TopicsModule, GroupsModule, OffsetsModule, SessionsModule],
  providers: [ConsumeRoutes, OffsetsRoutes, ConsumersRoutes, Polls, ShareReads],
})
export class ConsumersModule {
  constructor(
    table: RouteTable,
    consume: ConsumeRoutes,
    offsets: OffsetsRoutes,
    consumers: ConsumersRoutes,
    sessions: ConsumerSessions,
  ) {
    table.add(...consume.routes, ...offsets.routes, ...consumers.routes);
    table.beforeClose(() => sessions.dismiss());
  }
}
