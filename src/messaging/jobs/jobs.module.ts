/** Wiring of jobs: their entity, their effects, and the verbs that features add. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { JobForgetting, JobRunner } from './job.effects.js';
import { Jobs } from './job.entity.js';
import { JobVerbs } from './job-verbs.js';
import { JobsController } from './jobs.controller.js';
import { JobsService } from './jobs.service.js';

/** How long a stop waits for turns in progress. */
const stopDeadlineMs = 10_000;

/** Exports the table of verbs, which features fill. */
@Module({
  controllers: [JobsController],
  providers: [Jobs, JobRunner, JobForgetting, JobsService, JobVerbs],
  exports: [JobVerbs],
})
export class JobsModule {
  constructor(
    engine: Engine,
    { counts }: Jobs,
    runner: JobRunner,
    forgetting: JobForgetting,
    life: ProcessLife,
    registry: Registry,
  ) {
    engine.carry('goOnWithJob', runner);
    engine.carry('forgetJob', forgetting);
    const stop = () => runner.stop();
    life.addStoppable({ name: 'jobs', phase: 'doors', deadlineMs: stopDeadlineMs, stop });
    const help = 'Jobs that have not ended.';
    gauge(registry, 'stepwell_jobs', help, () => counts.unfinished);
  }
}
