/** Runs whose history grows long: the log warns once of each, before its steps are refused. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { provided } from '../../engine/provided.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { RunEvent } from '../run-state/run.events.js';
import { Runs } from '../runs/run.entity.js';
import { historyMax } from '../runs/run-history.policy.js';

/** From here on the run is worth a look. */
export const historyWarning = { entries: 10_000, bytes: 8 * 1024 * 1024 } as const;

@Injectable()
export class LongHistories {
  /** Those that a warning has named and that have not ended. */
  private readonly warned = new Set<string>();

  constructor(
    @Inject(Runs) private readonly runs: Pick<Runs, 'active'>,
    @Inject(provided.log) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** What `listener` observes: what appends an entry, and what ends a run. */
  readonly interest: Interest<RunEvent> = {
    types: {
      RunStarted: true,
      StepStored: true,
      StepEdited: true,
      WaitEnded: true,
      InvocationEnded: true,
      RunSucceeded: true,
      RunFailed: true,
      RunCanceled: true,
    },
  };

  /** Looks at the runs that have grown. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const { id } of envelopes) {
      const run = this.runs.active(id);
      // The id of one that has ended may come to mean another one.
      if (run === undefined) this.warned.delete(id);
      else this.look(id, run.entries);
    }
  };

  private look(runId: string, { length, bytes }: EntryList): void {
    if (length < historyWarning.entries && bytes < historyWarning.bytes) return;
    if (this.warned.has(runId)) return;
    this.warned.add(runId);
    this.log.warn(
      { workflowRunId: runId, entries: length, bytes, max: historyMax },
      'the history of a workflow run is long; above its maximum, steps are refused',
    );
  }
}
