/** Finds the failed runs that a request is about. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { LetterSearch } from '../../messaging/dead-letters/letter-search.js';
import { FailedRuns } from './failed-run.entity.js';
import { FailedRunMatching } from './failed-run-matching.js';
import type { FailedRun } from './failed-runs.projection.js';
import type { FailedRunFilters } from './failed-runs.request.js';

/** The dead-letter search over failed runs, used by the service and by revivals. */
@Injectable()
export class FailedRunSearch extends LetterSearch<FailedRun, FailedRunFilters> {
  constructor(
    engine: Engine,
    { letters }: FailedRuns,
    matching: FailedRunMatching,
    @Inject(provided.clock) clock: Clock,
  ) {
    super(engine, letters, clock, (run, filters) => matching.matches(run, filters));
  }
}
