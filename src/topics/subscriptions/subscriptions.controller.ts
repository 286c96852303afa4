/** `/admin/subscriptions`: creates, shows, pauses, resumes and deletes subscriptions. */
import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { callerOf } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { success } from '../../http/success.js';
import { parseSubscription } from './subscription.request.js';
import { type SubscriptionObject, subscriptionRoutes } from './subscriptions.openapi.js';
import { SubscriptionsService } from './subscriptions.service.js';

/**
 * Reading requires the right to inspect; changes require the right to administer. A change is
 * durable when it is answered.
 */
@Controller('admin/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly service: SubscriptionsService,
    private readonly basic: BasicCredentials,
    private readonly intake: Intake,
  ) {}

  @Post()
  @Describe(subscriptionRoutes.create)
  async create(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubscriptionObject> {
    this.basic.require(request.raw, 'administer');
    const subscription = valueIn(parseSubscription(rawBody(request)));
    // May create a topic, whose logs are files, so it is refused when the disk is full.
    refuseIf(this.intake.refusal);
    const { shown, warning } = answerIn(await this.service.create(subscription, request.raw));
    if (warning !== null) reply.header('stepwell-warning', warning);
    return shown;
  }

  @Get()
  @Describe(subscriptionRoutes.list)
  list(@Req() request: FastifyRequest): Promise<readonly SubscriptionObject[]> {
    this.basic.require(request.raw, 'inspect');
    return this.service.list();
  }

  @Get(':name')
  @Describe(subscriptionRoutes.show)
  async show(@Req() request: FastifyRequest, @Param('name') name: string) {
    this.basic.require(request.raw, 'inspect');
    return answerIn(await this.service.show(name));
  }

  @Delete(':name')
  @Describe(subscriptionRoutes.remove)
  remove(@Req() request: FastifyRequest, @Param('name') name: string) {
    return this.carryOut(request, name, { type: 'DeleteSubscription', cause: 'request' });
  }

  @Patch(':name/pause')
  @Describe(subscriptionRoutes.pause)
  pause(@Req() request: FastifyRequest, @Param('name') name: string) {
    return this.carryOut(request, name, { type: 'PauseSubscription' });
  }

  /** Clients use both methods, as for schedules. */
  @Post(':name/pause')
  @HttpCode(200)
  @Describe(subscriptionRoutes.pause)
  pauseByPost(@Req() request: FastifyRequest, @Param('name') name: string) {
    return this.carryOut(request, name, { type: 'PauseSubscription' });
  }

  @Patch(':name/resume')
  @Describe(subscriptionRoutes.resume)
  resume(@Req() request: FastifyRequest, @Param('name') name: string) {
    return this.carryOut(request, name, { type: 'ResumeSubscription' });
  }

  @Post(':name/resume')
  @HttpCode(200)
  @Describe(subscriptionRoutes.resume)
  resumeByPost(@Req() request: FastifyRequest, @Param('name') name: string) {
    return this.carryOut(request, name, { type: 'ResumeSubscription' });
  }

  private async carryOut(
    request: FastifyRequest,
    name: string,
    command: Parameters<SubscriptionsService['carryOut']>[1],
  ): Promise<typeof success> {
    this.basic.require(request.raw, 'administer');
    refuseIf(await this.service.carryOut(name, command, callerOf(request.raw)));
    return success;
  }
}
