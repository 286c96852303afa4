/** Wiring of URL groups. */
import { Module } from '@nestjs/common';
import { UrlGroups } from './url-group.entity.js';
import { UrlGroupsController } from './url-groups.controller.js';

/** It exports what publishes and schedules look destinations up in. */
@Module({ controllers: [UrlGroupsController], providers: [UrlGroups], exports: [UrlGroups] })
export class UrlGroupsModule {}
