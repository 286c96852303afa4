/** `/v2/workflows/dlq`: shows, deletes, resumes and restarts failed runs (workflows.md 6). */
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { Refusal } from '../../grammar/result.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { sendListing } from '../../http/bytes/listing.js';
import { sendObject } from '../../http/bytes/object-answer.js';
import { dialects, readMessageOptions } from '../../http/dialect.js';
import { By, callerOf } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import { foundIn, refuseIf, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import type { PublishRules } from '../../messaging/publishing/option-reader.js';
import type { WorkflowSettings } from '../settings.js';
import { failedRunRoutes } from './failed-runs.openapi.js';
import { failedRunFilters, failedRunListFilters, revivalFilters } from './failed-runs.request.js';
import { FailedRunsService, type RunReference } from './failed-runs.service.js';
import { type RevivalOverrides, readRevival, revivalRules } from './revival.request.js';
import { type RevivalKind, RunRevivals } from './run-revivals.js';
import { parseStepEdits } from './step-edits.request.js';

/**
 * Every change is durable when it is answered. Reviving is new work, so it is refused when the disk
 * is full; deleting is not.
 */
@Controller('v2')
export class FailedRunsController {
  constructor(
    private readonly service: FailedRunsService,
    private readonly revivals: RunRevivals,
    private readonly intake: Intake,
    private readonly inFlight: InFlight,
    @Inject(revivalRules) private readonly rules: PublishRules,
    @Inject(provided.config) private readonly config: WorkflowSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get('workflows/dlq')
  @Describe(failedRunRoutes.list)
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const letters = this.service.list(valueIn(readFilters(request.url, failedRunListFilters)));
    return sendListing(this.inFlight, request, reply, 'messages', letters);
  }

  @Get('workflows/dlq/:id')
  @Describe(failedRunRoutes.show)
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const run = foundIn(await this.service.find(id), `failed run ${id}`);
    return sendObject(this.inFlight, request, reply, () => this.service.shown(run));
  }

  @Delete('workflows/dlq')
  @Describe(failedRunRoutes.removeMany)
  deleteMany(@By() by: Caller, @Req() request: FastifyRequest) {
    const filters = readFilters(request.url, failedRunFilters, rawBody(request));
    return this.service.deleteMatching(valueIn(filters), by);
  }

  @Delete('workflows/dlq/:id')
  @Describe(failedRunRoutes.remove)
  async delete(@By() by: Caller, @Param('id') id: string): Promise<{ deleted: number }> {
    const exists = await this.service.delete(id, by);
    refuseIf(exists ? null : new Refusal('not_found', `failed run ${id} not found`));
    return { deleted: 1 };
  }

  @Post('workflows/dlq/resume')
  @Describe(failedRunRoutes.resumeMany)
  @HttpCode(200)
  resumeMany(@Req() request: FastifyRequest) {
    return this.reviveMany(request, 'resume');
  }

  @Post('workflows/dlq/restart')
  @Describe(failedRunRoutes.restartMany)
  @HttpCode(200)
  restartMany(@Req() request: FastifyRequest) {
    return this.reviveMany(request, 'restart');
  }

  @Post('workflows/dlq/resume/:id')
  @Describe(failedRunRoutes.resume)
  @HttpCode(200)
  resume(@Param('id') id: string, @Req() request: FastifyRequest): Promise<RunReference> {
    return this.revive(id, request, 'resume');
  }

  /** The other path of `resume` (workflows.md 6.2). */
  @Post('dlq/resume/:id')
  @Describe(failedRunRoutes.resume)
  @HttpCode(200)
  resumeBesideMessages(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<RunReference> {
    return this.revive(id, request, 'resume');
  }

  @Post('workflows/dlq/restart/:id')
  @Describe(failedRunRoutes.restart)
  @HttpCode(200)
  restart(@Param('id') id: string, @Req() request: FastifyRequest): Promise<RunReference> {
    return this.revive(id, request, 'restart');
  }

  @Post('workflows/dlq/callback/:id')
  @Describe(failedRunRoutes.repeatCallback)
  @HttpCode(200)
  async repeatCallback(@By() by: Caller, @Param('id') id: string): Promise<RunReference> {
    this.takeIn();
    return referenceIn(id, await this.service.repeatCallback(id, by));
  }

  @Delete('workflows/dlq/callback/:id')
  @Describe(failedRunRoutes.cancelCallback)
  async cancelCallback(@By() by: Caller, @Param('id') id: string): Promise<RunReference> {
    return referenceIn(id, await this.service.cancelCallback(id, by));
  }

  private async revive(
    id: string,
    request: FastifyRequest,
    kind: RevivalKind,
  ): Promise<RunReference> {
    const overrides = this.overrides(request, true);
    const edits = kind === 'resume' ? valueIn(parseStepEdits(rawBody(request))) : [];
    const by = callerOf(request.raw);
    return valueIn(await this.revivals.reviveOne(id, { kind, overrides, edits }, by));
  }

  private async reviveMany(request: FastifyRequest, kind: RevivalKind) {
    const filters = valueIn(readFilters(request.url, revivalFilters, rawBody(request)));
    const overrides = this.overrides(request, false);
    const by = callerOf(request.raw);
    return valueIn(await this.revivals.reviveMatching(filters, { kind, overrides }, by));
  }

  private overrides(request: FastifyRequest, isAboutOne: boolean): RevivalOverrides {
    this.takeIn();
    const headers = readMessageOptions(request.raw.rawHeaders, dialects[this.config.dialect]);
    return valueIn(readRevival(headers, this.rules, this.clock.now(), isAboutOne));
  }

  /** Refuses new runs when the disk is full. */
  private takeIn(): void {
    refuseIf(this.intake.refusal);
  }
}

function referenceIn(id: string, outcome: Outcome<RunReference> | null): RunReference {
  return valueIn(foundIn(outcome, `failed run ${id}`));
}
