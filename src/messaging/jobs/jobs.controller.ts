/** `/v2/jobs`: one action on many items (messaging.md 13). */
import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { By } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import { foundIn, refuseIf, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { jobListFilters, optionPairs, parseJob } from './job.request.js';
import type { JobObject } from './job-object.js';
import { jobRoutes } from './jobs.openapi.js';
import { type JobDryRun, type JobPage, JobsService } from './jobs.service.js';

/** A job finds its items while it runs, so a filter that matches nothing is not an error. */
@Controller('v2/jobs')
export class JobsController {
  constructor(
    private readonly service: JobsService,
    private readonly intake: Intake,
  ) {}

  /** Answers 202 for a job, which has only begun, and 200 for a dry run, which is complete. */
  @Post()
  @Describe(jobRoutes.create)
  async create(
    @By() by: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobObject | JobDryRun> {
    const job = valueIn(parseJob(rawBody(request)));
    const options = valueIn(optionPairs(request.raw.rawHeaders));
    reply.status(job.isDryRun ? 200 : 202);
    if (job.isDryRun) return valueIn(await this.service.dryRun(job, options));
    refuseIf(this.intake.refusal);
    return valueIn(await this.service.create(job, options, by));
  }

  @Get()
  @Describe(jobRoutes.list)
  list(@Req() request: FastifyRequest): Promise<JobPage> {
    const { count, cursor } = valueIn(readFilters(request.url, jobListFilters));
    return this.service.page(count, cursor);
  }

  @Get(':id')
  @Describe(jobRoutes.show)
  async show(@Param('id') id: string): Promise<JobObject> {
    return foundIn(await this.service.find(id), `job ${id}`);
  }

  @Post(':id/abort')
  @HttpCode(200)
  @Describe(jobRoutes.abort)
  async abort(@By() by: Caller, @Param('id') id: string): Promise<JobObject> {
    return valueIn(await this.service.abort(id, by));
  }

  /** The same as `abort`, by another verb. */
  @Delete(':id')
  @Describe(jobRoutes.abort)
  async remove(@By() by: Caller, @Param('id') id: string): Promise<JobObject> {
    return valueIn(await this.service.abort(id, by));
  }
}
