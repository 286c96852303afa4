/** Wiring of the administration of consumer groups. */
import { Module } from '@nestjs/common';
import { GroupsModule } from '../groups/groups.module.js';
import { OffsetsModule } from '../offsets/offsets.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { GroupsAdminController } from './groups-admin.controller.js';
import { GroupsAdmin } from './groups-admin.js';

/** Needs no start or stop of its own. */
@Module({
  imports: [TopicsModule, GroupsModule, OffsetsModule, SessionsModule],
  controllers: [GroupsAdminController],
  providers: [GroupsAdmin],
})
export class GroupsAdminModule {}
