/** `/admin/origins` and `/admin/reach`: what is called, and what may be (messaging.md 4.8). */
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { readJsonBody } from '../../http/json-body.js';
import { answerIn, refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { OriginTraffic } from '../outbound/origin-traffic.js';
import type { MessagingSettings } from '../settings.js';
import { type OriginObject, originRoutes, reachSchema } from './origins.openapi.js';
import { Reach, type ReachVerdict } from './reach.js';

@Controller('admin')
export class OriginsController {
  constructor(
    private readonly traffic: OriginTraffic,
    private readonly reach: Reach,
    private readonly basic: BasicCredentials,
    @Inject(provided.config) private readonly config: MessagingSettings,
  ) {}

  @Get('origins')
  @Describe(originRoutes.list)
  list(@Req() { raw }: FastifyRequest): readonly OriginObject[] {
    refuseIf(this.basic.judgeRight(raw, 'inspect', null));
    const { originParallelism: limit } = this.config;
    return [...this.traffic.report()].map((report) => ({
      ...report,
      limit,
      refused: this.reach.refusalOf(new URL(report.origin)),
    }));
  }

  @Post('reach')
  @HttpCode(200)
  @Describe(originRoutes.reach)
  async judge(@Req() request: FastifyRequest): Promise<ReachVerdict> {
    refuseIf(this.basic.judgeRight(request.raw, 'administer', null));
    const { url, head = false } = valueIn(readJsonBody(rawBody(request), reachSchema));
    if (!URL.canParse(url)) refuseIf(new Refusal('invalid', 'url: is not a valid URL'));
    return answerIn(await this.reach.of(new URL(url), head));
  }
}
