/** `/admin/overview`, `/admin/series`, `/admin/config`, `/admin/build`: the state of the server. */
import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { version } from '../../grammar/version.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { SeenClients } from '../../http/identity/seen-clients.js';
import { valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import type { ShownSetting } from '../configuration/shown-settings.js';
import { Overview } from './overview.js';
import { overviewRoutes } from './overview.openapi.js';
import { parseSeriesQuery } from './series.request.js';
import { type SeriesPage, SeriesStore } from './series-store.js';

/** All routes require the right to inspect; settings are shown without secrets. */
@Controller('admin')
export class OverviewController {
  constructor(
    private readonly shown: Overview,
    private readonly store: SeriesStore,
    private readonly basic: BasicCredentials,
    private readonly seen: SeenClients,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.settings) private readonly settings: readonly ShownSetting[],
    @Inject(provided.build) private readonly digest: string,
  ) {}

  @Get('overview')
  @Describe(overviewRoutes.overview)
  overview(@Req() request: FastifyRequest): ReturnType<Overview['now']> {
    this.basic.require(request.raw, 'inspect');
    return this.shown.now();
  }

  @Get('series')
  @Describe(overviewRoutes.series)
  series(@Req() request: FastifyRequest): Promise<SeriesPage> {
    this.basic.require(request.raw, 'inspect');
    const { names, from, stepMs } = valueIn(parseSeriesQuery(request.url, this.clock.now()));
    return this.store.page(names, from, stepMs);
  }

  @Get('config')
  @Describe(overviewRoutes.config)
  config(@Req() request: FastifyRequest): readonly ShownSetting[] {
    this.basic.require(request.raw, 'inspect');
    return this.settings;
  }

  @Get('build')
  @Describe(overviewRoutes.build)
  build(@Req() request: FastifyRequest) {
    this.basic.require(request.raw, 'inspect');
    const { version: node, platform, arch: architecture, pid } = process;
    return {
      version,
      build: this.digest,
      node,
      platform,
      architecture,
      pid,
      clients: this.seen.all,
    };
  }
}
