/**
 * Warns in the server log, once for each run, that its history grows long, before its steps are
 * refused.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { provided } from '../../engine/provided.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { RunEvent } from '../run-state/run.events.js';
import { historyMax, isLong } from '../runs/history-bounds.policy.js';
import { Runs } from '../runs/run.entity.js';

/** Remembers the warnings only in memory: after a restart, a long run is warned about once more. */
@Injectable()
export class LongHistories {
  /** The active runs that were warned about. */
  private readonly warned = new Set<string>();

  constructor(
    @Inject(Runs) private readonly runs: Pick<Runs, 'active'>,
    @Inject(provided.log) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * The events that `listener` observes: every event of a run that is `long`, and the ends of runs.
   */
  interestIn(long: Runs['long']): Interest<RunEvent> {
    const types = { RunSucceeded: true, RunFailed: true, RunCanceled: true } as const;
    return { types, streams: [long] };
  }

  /** Checks the runs that have grown or ended. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const { id } of envelopes) {
      const run = this.runs.active(id);
      // Another run may reuse the id of a run that has ended.
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
      'the history of a workflow run is long; steps beyond the maximum are refused',
    );
  }
}
