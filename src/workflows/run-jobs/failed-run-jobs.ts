/** What jobs can do with failed runs: resume, restart and delete them (messaging.md 13). */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { ok, type Result } from '../../grammar/result.js';
import { dialects, readMessageOptions } from '../../http/dialect.js';
import { readWritten } from '../../http/query-filters.js';
import {
  type JobItem,
  type JobSteps,
  type JobVerb,
  manyAtOnce,
  type WrittenJob,
} from '../../messaging/jobs/job-verbs.js';
import { letterSteps } from '../../messaging/message-jobs/letter-steps.js';
import type { PublishRules } from '../../messaging/publishing/option-reader.js';
import { FailedRuns } from '../failed-runs/failed-run.entity.js';
import { FailedRunMatching } from '../failed-runs/failed-run-matching.js';
import type { FailedRun } from '../failed-runs/failed-runs.projection.js';
import { failedRunSelection } from '../failed-runs/failed-runs.request.js';
import { FailedRunsService } from '../failed-runs/failed-runs.service.js';
import { readRevival, revivalRules } from '../failed-runs/revival.request.js';
import { type RevivalKind, RunRevivals } from '../failed-runs/run-revivals.js';
import type { WorkflowSettings } from '../settings.js';

const over = 'failedRuns';

/** A run is handled in one turn with the job's progress, so never twice and never partly. */
@Injectable()
export class FailedRunJobs {
  constructor(
    private readonly service: FailedRunsService,
    private readonly revivals: RunRevivals,
    private readonly entity: FailedRuns,
    private readonly matching: FailedRunMatching,
    @Inject(revivalRules) private readonly rules: PublishRules,
    @Inject(provided.config) private readonly config: WorkflowSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** The verbs for the table of what jobs can do. */
  get verbs(): readonly JobVerb[] {
    return [
      this.revival('resume'),
      this.revival('restart'),
      {
        ...{ over, verb: 'delete', atOnce: manyAtOnce, takesRoom: false, takesOptions: false },
        read: (task) =>
          this.steps(task, ({ id }) => ({
            id,
            prepare: async () => ok(() => [this.service.deleting(id)]),
          })),
      },
    ];
  }

  /** Revives one run at a time, because each may be large. */
  private revival(kind: RevivalKind): JobVerb {
    return {
      ...{ over, verb: kind, atOnce: 1, takesRoom: true, takesOptions: true },
      read: (task) => {
        const said = readMessageOptions(task.options, dialects[this.config.dialect]);
        const read = readRevival(said, this.rules, task.at, false);
        if (!read.ok) return read;
        const asked = { kind, overrides: read.value };
        return this.steps(task, (run) => ({
          id: run.id,
          prepare: () => this.revivals.prepare(run, asked),
        }));
      },
    };
  }

  private steps({ filters }: WrittenJob, toItem: (run: FailedRun) => JobItem): Result<JobSteps> {
    const { clock, matching } = this;
    const searched = { letters: this.entity.letters, clock, matching };
    return letterSteps(searched, readWritten(filters, failedRunSelection), toItem);
  }
}
