/** Wiring of failed runs. */
import { Module } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { DeadLettersModule } from '../../messaging/dead-letters/dead-letters.module.js';
import { LetterSources } from '../../messaging/dead-letters/letter-sources.js';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { PublishTargets, publishRules } from '../../messaging/publishing/publish-targets.js';
import { PublishingModule } from '../../messaging/publishing/publishing.module.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { FailedRuns } from './failed-run.entity.js';
import { FailedRunMatching } from './failed-run-matching.js';
import { FailedRunRecords } from './failed-run-records.js';
import { FailedRunSearch } from './failed-run-search.js';
import { FailedRunsController } from './failed-runs.controller.js';
import { failedRunListFilters } from './failed-runs.request.js';
import { FailedRunsService } from './failed-runs.service.js';
import { InvokedRuns } from './invoked-runs.js';
import { revivalRules } from './revival.request.js';
import { RunRevivals } from './run-revivals.js';

/**
 * Exports what jobs need of failed runs, and adds failed runs to `GET /v2/dlq` as the source
 * `workflow`.
 */
@Module({
  imports: [MessagesModule, RunsModule, RunEntriesModule, DeadLettersModule, PublishingModule],
  controllers: [FailedRunsController],
  providers: [
    FailedRuns,
    FailedRunRecords,
    FailedRunMatching,
    FailedRunSearch,
    FailedRunsService,
    InvokedRuns,
    RunRevivals,
    {
      provide: revivalRules,
      // Options that a resume changes must meet the same rules as in a publish.
      inject: [provided.config, PublishTargets],
      useFactory: publishRules,
    },
  ],
  exports: [FailedRuns, FailedRunMatching, FailedRunsService, RunRevivals, revivalRules],
})
export class FailedRunsModule {
  constructor(sources: LetterSources, service: FailedRunsService) {
    // SDKs list through `GET /v2/dlq` what `/v2/workflows/dlq` lists.
    sources.add('workflow', (target) =>
      service.list(valueIn(readFilters(target, failedRunListFilters))),
    );
  }
}
