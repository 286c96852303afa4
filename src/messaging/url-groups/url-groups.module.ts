/** Wiring of URL groups. */
import { Module } from '@nestjs/common';
import { UrlGroups } from './url-group.entity.js';
import { UrlGroupsController } from './url-groups.controller.js';

/** Exports the groups, in which publishes and schedules look up destinations. */
@Module({ controllers: [UrlGroupsController], providers: [UrlGroups], exports: [UrlGroups] })
export class UrlGroupsModule {}
