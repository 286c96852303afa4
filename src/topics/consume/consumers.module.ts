/** Wiring of the routes of consumer groups. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { GroupsModule } from '../groups/groups.module.js';
import { OffsetsModule } from '../offsets/offsets.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ConsumeRoutes } from './consume.routes.js';
import { ConsumersRoutes } from './consumers.routes.js';
import { GroupsAdminRoutes } from './groups-admin.routes.js';
import { OffsetsRoutes } from './offsets.routes.js';
import { Polls } from './poll.js';
import { ShareReads } from './share-reads.js';

const routes = [ConsumeRoutes, OffsetsRoutes, ConsumersRoutes, GroupsAdminRoutes];

@Module({
  imports: [TopicsModule, GroupsModule, OffsetsModule, SessionsModule],
  providers: [...routes, Polls, ShareReads],
})
export class ConsumersModule {
  constructor(
    table: RouteTable,
    consume: ConsumeRoutes,
    offsets: OffsetsRoutes,
    consumers: ConsumersRoutes,
    admin: GroupsAdminRoutes,
  ) {
    for (const each of [consume, offsets, consumers, admin]) table.add(each);
  }
}
