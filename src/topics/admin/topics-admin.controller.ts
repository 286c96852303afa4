/** `/admin/topics`: creates, shows, alters, purges and deletes topics. */
import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Refusal } from '../../grammar/result.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { By } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { success } from '../../http/success.js';
import type { TopicSettings } from '../settings.js';
import type { TopicDetails, TopicObject } from './topic-object.js';
import { type Purged, TopicsAdmin } from './topics-admin.js';
import { topicAdminRoutes } from './topics-admin.openapi.js';
import { parseAlteration, parseCreation, parsePurge } from './topics-admin.request.js';

/** Reading requires the right to inspect; changes require the right to administer. */
@Controller('admin/topics')
export class TopicsAdminController {
  constructor(
    private readonly admin: TopicsAdmin,
    private readonly basic: BasicCredentials,
    private readonly intake: Intake,
    @Inject(provided.config) private readonly settings: TopicSettings,
  ) {}

  @Get()
  @Describe(topicAdminRoutes.list)
  list(@Req() request: FastifyRequest): Promise<readonly TopicObject[]> {
    this.basic.require(request.raw, 'inspect');
    return this.admin.list();
  }

  @Post()
  @Describe(topicAdminRoutes.create)
  create(@By() by: Caller, @Req() request: FastifyRequest): Promise<TopicDetails> {
    this.basic.require(request.raw, 'administer');
    const { topicPartitions } = this.settings;
    const { name, settings } = valueIn(parseCreation(rawBody(request), topicPartitions));
    return this.withRoom(() => this.admin.create(name, settings, by));
  }

  @Get(':name')
  @Describe(topicAdminRoutes.show)
  async show(@Req() request: FastifyRequest, @Param('name') name: string): Promise<TopicDetails> {
    this.basic.require(request.raw, 'inspect');
    return answerIn(await this.admin.show(name));
  }

  @Patch(':name')
  @Describe(topicAdminRoutes.alter)
  alter(
    @By() by: Caller,
    @Req() request: FastifyRequest,
    @Param('name') name: string,
  ): Promise<TopicDetails> {
    this.basic.require(request.raw, 'administer');
    const change = valueIn(parseAlteration(rawBody(request)));
    return this.withRoom(() => this.admin.alter(name, change, by));
  }

  @Delete(':name')
  @Describe(topicAdminRoutes.remove)
  async remove(@By() by: Caller, @Req() request: FastifyRequest, @Param('name') name: string) {
    this.basic.require(request.raw, 'administer');
    refuseIf(await this.admin.delete(name, by));
    return success;
  }

  @Post(':name/purge')
  @HttpCode(200)
  @Describe(topicAdminRoutes.purge)
  async purge(
    @By() by: Caller,
    @Req() request: FastifyRequest,
    @Param('name') name: string,
  ): Promise<readonly Purged[]> {
    this.basic.require(request.raw, 'administer');
    const trims = valueIn(parsePurge(rawBody(request)));
    return answerIn(await this.admin.purge(name, trims, by));
  }

  /** New logs are new files, so they are refused when the disk is nearly full. */
  private async withRoom<Answer extends object>(
    work: () => Promise<Answer | Refusal>,
  ): Promise<Answer> {
    refuseIf(this.intake.refusal);
    return answerIn(await work());
  }
}
