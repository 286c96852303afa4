/** `/admin/groups`: shows, resets and deletes consumer groups (topics.md 5.2). */
import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { By } from '../../http/identity/callers.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { success } from '../../http/success.js';
import { GroupsAdmin } from './groups-admin.js';
import { groupRoutes } from './groups-admin.openapi.js';
import { parseOffsetReset } from './groups-admin.request.js';

/**
 * Reading requires the right to inspect, and changes require the right to administer, whatever
 * topics a group reads.
 */
@Controller('admin/groups')
export class GroupsAdminController {
  constructor(
    private readonly admin: GroupsAdmin,
    private readonly credentials: BasicCredentials,
  ) {}

  @Get()
  @Describe(groupRoutes.list)
  list(@Req() request: FastifyRequest) {
    this.credentials.require(request.raw, 'inspect');
    return this.admin.list();
  }

  @Get(':group')
  @Describe(groupRoutes.show)
  async show(@Req() request: FastifyRequest, @Param('group') group: string) {
    this.credentials.require(request.raw, 'inspect');
    return answerIn(await this.admin.show(group));
  }

  @Delete(':group')
  @Describe(groupRoutes.remove)
  async remove(@By() by: Caller, @Req() request: FastifyRequest, @Param('group') group: string) {
    this.credentials.require(request.raw, 'administer');
    refuseIf(await this.admin.remove(group, by));
    return success;
  }

  @Post(':group/offsets')
  @HttpCode(200)
  @Describe(groupRoutes.reset)
  async reset(@By() by: Caller, @Req() request: FastifyRequest, @Param('group') group: string) {
    this.credentials.require(request.raw, 'administer');
    const reset = valueIn(parseOffsetReset(rawBody(request)));
    return answerIn(await this.admin.reset(group, reset, by));
  }
}
