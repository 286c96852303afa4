/**
 * Shows users the next times and the past results of schedules, and triggers schedules manually
 * (messaging.md 7.1).
 */
import { Controller, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { type Cron, parseCron } from '../../grammar/cron.js';
import { By } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import { foundIn, refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { Schedules } from '../schedules/schedule.entity.js';
import { type ManualTrigger, SchedulePublisher } from '../schedules/schedule-publisher.js';
import { type ScheduleResult, ScheduleResults } from './schedule-results.js';
import { nextTimes } from './schedule-times.js';
import {
  type CronTimes,
  nextRoute,
  previewRoute,
  resultsRoute,
  triggerRoute,
} from './schedule-times.openapi.js';
import {
  parsePreview,
  parseResultsQuery,
  parseTimesQuery,
  type TimesQuery,
} from './schedule-times.request.js';

/** Separate from the controller of schedules, whose routes published clients know. */
@Controller('v2/schedules')
export class ScheduleTimesController {
  constructor(
    private readonly schedules: Schedules,
    private readonly publisher: SchedulePublisher,
    private readonly outcomes: ScheduleResults,
    private readonly intake: Intake,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Post('preview')
  @HttpCode(200)
  @Describe(previewRoute)
  preview(@Req() request: FastifyRequest): Promise<CronTimes> {
    const { expression, cron, ...query } = valueIn(parsePreview(rawBody(request)));
    return this.timesOf(expression, cron, query);
  }

  @Get(':id/next')
  @Describe(nextRoute)
  async next(
    @Param('id') id: string,
    @Req() { url }: FastifyRequest,
  ): Promise<CronTimes & { scheduleId: string; isPaused: boolean }> {
    const query = valueIn(parseTimesQuery(url));
    const found = await this.schedules.shown(() => this.schedules.find(id)?.state);
    const { value, context } = foundIn(found, `schedule ${id}`);
    const times = await this.timesOf(context.cron, valueIn(parseCron(context.cron)), query);
    return { scheduleId: id, isPaused: value === 'paused', ...times };
  }

  @Get(':id/results')
  @Describe(resultsRoute)
  async results(
    @Param('id') id: string,
    @Req() { url }: FastifyRequest,
  ): Promise<{ scheduleId: string; results: readonly ScheduleResult[] }> {
    const { count } = valueIn(parseResultsQuery(url));
    const exists = await this.schedules.shown(() => (this.schedules.has(id) ? true : null));
    foundIn(exists, `schedule ${id}`);
    return { scheduleId: id, results: await this.outcomes.latest(id, count) };
  }

  @Post(':id/trigger')
  @HttpCode(200)
  @Describe(triggerRoute)
  async trigger(@By() by: Caller, @Param('id') id: string): Promise<ManualTrigger> {
    refuseIf(this.intake.refusal);
    return valueIn(await this.publisher.publishNow(id, by));
  }

  private async timesOf(expression: string, cron: Cron, query: TimesQuery): Promise<CronTimes> {
    const times = await nextTimes(cron, query.from ?? this.clock.now(), query.count);
    return { cron: expression, zone: cron.zone, times };
  }
}
