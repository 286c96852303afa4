/** Wiring of what jobs can do with active and failed runs. */
import { Module } from '@nestjs/common';
import { JobVerbs } from '../../messaging/jobs/job-verbs.js';
import { JobsModule } from '../../messaging/jobs/jobs.module.js';
import { ActiveRunsModule } from '../active-runs/active-runs.module.js';
import { FailedRunsModule } from '../failed-runs/failed-runs.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { FailedRunJobs } from './failed-run-jobs.js';
import { RunCancels } from './run-cancels.js';

/** Adds the verbs while modules are constructed. */
@Module({
  imports: [FailedRunsModule, JobsModule, RunsModule, ActiveRunsModule],
  providers: [FailedRunJobs, RunCancels],
})
export class RunJobsModule {
  constructor(verbs: JobVerbs, failed: FailedRunJobs, cancels: RunCancels) {
    verbs.add(...failed.verbs, ...cancels.verbs);
  }
}
