/** Runs whose history grows long: the log warns once of each, before its steps are refused. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { provided } from '../../engine/provided.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { RunEvent } from '../run-state/run.events.js';
import { historyMax, isLong } from '../runs/history-bounds.policy.js';
import { Runs } from '../runs/run.entity.js';

/** It remembers in memory: after a restart a run that is long still is warned of once more. */
@Injectable()
export class LongHistories {
  /** Those that a warning has named and that have not ended. */
  private readonly warned = new Set<string>();

  constructor(
    @Inject(Runs) private readonly runs: Pick<Runs, 'active'>,
    @Inject(provided.log) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** What `listener` observes: all that happens to runs which are `long`, and what ends a run. */
  interestIn(long: Runs['long']): Interest<RunEvent> {
    const types = { RunSucceeded: true, RunFailed: true, RunCanceled: true } as const;
    return { types, streams: [long] };
  }

  /** Looks at the runs that have grown, or ended. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const { id } of envelopes) {
      const run = this.runs.active(id);
      // The id of one that has ended may come to mean another one.
      if (run === undefined) this.warned.delete(id);
      else this.look(id, run.entries);
    }
  };

  private look(runId: string, entries: EntryList): void {
    if (!isLong(entries) || this.warned.has(runId)) return;
    this.warned.add(runId);
    const { length, bytes } = entries;
    this.log.warn(
      { workflowRunId: runId, entries: length, bytes, max: historyMax },
      'the history of a workflow run is long; above its maximum, steps are refused',
    );
  }
}
