/** Runs whose history grows long: the log warns once of each, before its steps are refused. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { provided } from '../../engine/provided.js';
import type { EntryList } from '../run-state/entry-list.js';
import { historyMax } from '../runs/run-history.policy.js';

/** From here on the run is worth a look. */
export const historyWarning = { entries: 10_000, bytes: 8 * 1024 * 1024 } as const;

@Injectable()
export class LongHistories {
  /** Those that a warning has named and that have not ended. */
  private readonly warned = new Set<string>();

  constructor(@Inject(provided.log) private readonly log: Pick<Logger, 'warn'>) {}

  /** An entry was appended to an active run. */
  grown(runId: string, { length, bytes }: EntryList): void {
    if (length < historyWarning.entries && bytes < historyWarning.bytes) return;
    if (this.warned.has(runId)) return;
    this.warned.add(runId);
    this.log.warn(
      { workflowRunId: runId, entries: length, bytes, max: historyMax },
      'the history of a workflow run is long; above its maximum, steps are refused',
    );
  }

  /** The run's id may come to mean another one. */
  ended(runId: string): void {
    this.warned.delete(runId);
  }
}
