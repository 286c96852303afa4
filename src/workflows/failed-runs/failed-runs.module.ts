/** Wiring of failed runs. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Journal } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { DeadLettersModule } from '../../messaging/dead-letters/dead-letters.module.js';
import { LetterIndex } from '../../messaging/dead-letters/letter-index.js';
import { LetterSearch } from '../../messaging/dead-letters/letter-search.js';
import { LetterSources } from '../../messaging/dead-letters/letter-sources.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { PublishTargets, publishRules } from '../../messaging/publishing/publish-targets.js';
import { PublishingModule } from '../../messaging/publishing/publishing.module.js';
import { RunArchive } from '../deliveries/run-archive.js';
import { RunEntries } from '../deliveries/run-entries.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { runKind } from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.state.js';
import type { WorkflowSettings } from '../settings.js';
import { failedRunDecider } from './failed-run.decider.js';
import { FailedRunMatching } from './failed-run-matching.js';
import { FailedRunRecords, type RunArchives } from './failed-run-records.js';
import { FailedRunsController } from './failed-runs.controller.js';
import { type FailedRun, FailedRuns } from './failed-runs.projection.js';
import { type FailedRunFilters, failedRunListFilters } from './failed-runs.request.js';
import { FailedRunsService } from './failed-runs.service.js';
import { revivalRules } from './revival.request.js';
import { RunRevivals } from './run-revivals.js';

class FailedRunSearch extends LetterSearch<FailedRun, FailedRunFilters> {}

@Module({
  imports: [RunEntriesModule, DeadLettersModule, PublishingModule],
  controllers: [FailedRunsController],
  providers: [
    {
      provide: FailedRunRecords,
      inject: [Engine, Journal, Payloads, RunArchive, RunEntries],
      useFactory: failedRunRecords,
    },
    {
      provide: FailedRunSearch,
      inject: [Engine, FailedRunRecords, provided.config, provided.clock],
      useFactory: failedRunSearch,
    },
    {
      provide: FailedRunsService,
      inject: [Engine, FailedRunSearch, FailedRunRecords, provided.clock, provided.identifiers],
      useFactory: (
        engine: Engine,
        search: FailedRunSearch,
        records: FailedRunRecords,
        clock: Clock,
        identifiers: Identifiers,
      ) => new FailedRunsService(engine, search, records, clock, identifiers),
    },
    {
      provide: RunRevivals,
      inject: [Engine, FailedRunSearch, FailedRunRecords, provided.clock, provided.identifiers],
      useFactory: (
        engine: Engine,
        search: FailedRunSearch,
        records: FailedRunRecords,
        clock: Clock,
        identifiers: Identifiers,
      ) => new RunRevivals(engine, search, records, clock, identifiers),
    },
    {
      provide: revivalRules,
      // What a resume changes must be allowed as in a publish.
      inject: [provided.config, PublishTargets],
      useFactory: publishRules,
    },
  ],
})
export class FailedRunsModule {
  constructor(sources: LetterSources, service: FailedRunsService) {
    // How SDKs ask for what `/v2/workflows/dlq` lists.
    sources.add('workflow', (target) =>
      service.list(valueIn(readFilters(target, failedRunListFilters))),
    );
  }
}

function failedRunRecords(
  engine: Engine,
  journal: Journal,
  payloads: Payloads,
  archive: RunArchive,
  entries: RunEntries,
): FailedRunRecords {
  const archives: RunArchives = {
    remainsOf: async ({ runId, startedOffset, offset }) =>
      (await archive.stateOf(runId, startedOffset, offset)).context,
    bodyOf: (run) => entries.bodyOfFailed(run, run.offset),
    invokerOf: (runId) => contextOf(engine, runId)?.invoker ?? null,
  };
  return new FailedRunRecords(journal, payloads, archives);
}

/** Registers failed runs. */
function failedRunSearch(
  engine: Engine,
  records: FailedRunRecords,
  { deadLetterRetentionMs }: WorkflowSettings,
  clock: Clock,
): FailedRunSearch {
  const letters = new LetterIndex<FailedRun>(deadLetterRetentionMs);
  const failures = new FailedRuns(letters, (runId) => {
    const context = contextOf(engine, runId);
    if (context === undefined) return undefined;
    const { createdAt, startedOffset, configurationOffset, failureCallbackOffset } = context;
    return { createdAt, startedOffset, configurationOffset, failureCallbackOffset };
  });
  engine.register({ decider: failedRunDecider, view: letters, folds: [failures] });
  engine.follow(runKind, failures);
  engine.follow(messageKind, failures);
  const matching = new FailedRunMatching(records);
  return new FailedRunSearch(engine, letters, clock, (run, asked) => matching.matches(run, asked));
}

function contextOf(engine: Engine, runId: string) {
  const state = engine.actors(runKind).find(runId)?.state as RunState | undefined;
  return state?.context;
}
