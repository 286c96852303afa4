/** `/admin/origins` and `/admin/reach`: what is called, and what may be (messaging.md 4.8). */
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { parseUrl } from '../../grammar/destination.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { By } from '../../http/identity/callers.js';
import { readJsonBody } from '../../http/json-body.js';
import { answerIn, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { type OriginReport, OriginTraffic } from '../outbound/origin-traffic.js';
import type { MessagingSettings } from '../settings.js';
import type { OriginCommand } from './origin.commands.js';
import { Origins } from './origin.entity.js';
import { originKind } from './origin.events.js';
import { parseOrigin } from './origin.request.js';
import { type OriginObject, originRoutes, reachSchema } from './origins.openapi.js';
import { Reach, type ReachVerdict } from './reach.js';

/** An origin and when it was paused; null = it is not paused. */
interface PausedOrigin {
  readonly origin: string;
  readonly pausedAt: number | null;
}

/**
 * Reading needs the right to inspect; changes and reach need the right to administer, because an
 * answer about reach shows what this machine can connect to.
 */
@Controller('admin')
export class OriginsController {
  constructor(
    private readonly origins: Origins,
    private readonly traffic: OriginTraffic,
    private readonly reach: Reach,
    private readonly basic: BasicCredentials,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get('origins')
  @Describe(originRoutes.list)
  list(@Req() { raw }: FastifyRequest): Promise<readonly OriginObject[]> {
    this.basic.require(raw, 'inspect');
    return this.origins.shown(() => {
      const called = [...this.traffic.report()];
      const known = new Set(called.map(({ origin }) => origin));
      const idle = [...this.origins.actors.ids()].filter((origin) => !known.has(origin)).sort();
      return [...called, ...idle.map(neverCalled)].map((report) => this.object(report));
    });
  }

  @Post('origins/pause')
  @HttpCode(200)
  @Describe(originRoutes.pause)
  pause(@By() by: Caller, @Req() request: FastifyRequest): Promise<PausedOrigin> {
    return this.set('PauseOrigin', by, request);
  }

  @Post('origins/resume')
  @HttpCode(200)
  @Describe(originRoutes.resume)
  resume(@By() by: Caller, @Req() request: FastifyRequest): Promise<PausedOrigin> {
    return this.set('ResumeOrigin', by, request);
  }

  @Post('reach')
  @HttpCode(200)
  @Describe(originRoutes.reach)
  async judge(@Req() request: FastifyRequest): Promise<ReachVerdict> {
    this.basic.require(request.raw, 'administer');
    const { url, head = false } = valueIn(readJsonBody(rawBody(request), reachSchema()));
    return answerIn(await this.reach.of(valueIn(parseUrl(url)), head));
  }

  private async set(
    type: OriginCommand['type'],
    by: Caller,
    request: FastifyRequest,
  ): Promise<PausedOrigin> {
    this.basic.require(request.raw, 'administer');
    const id = valueIn(parseOrigin(rawBody(request)));
    const command = { type, kind: originKind, id, at: this.clock.now() };
    valueIn(await this.origins.ask(command, by));
    return { origin: id, pausedAt: this.origins.stateOf(id)?.pausedAt ?? null };
  }

  private object(report: OriginReport): OriginObject {
    const { origin } = report;
    return {
      ...report,
      limit: this.config.originParallelism,
      // Journals of earlier versions may hold destinations whose origins are not URLs.
      refused: URL.canParse(origin)
        ? (this.reach.refusalOf(new URL(origin))?.message ?? null)
        : null,
      pausedAt: this.origins.stateOf(origin)?.pausedAt ?? null,
    };
  }
}

/** The report of a paused origin that this process has not called. */
function neverCalled(origin: string): OriginReport {
  return { origin, inFlight: 0, succeeded: 0, failed: 0, lastAt: null, lastFailure: null };
}
