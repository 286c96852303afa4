/** Runs whose history grows long: operators hear of each once, before its steps are refused. */
import type { Logger } from 'pino';
import type { EntryList } from '../run-state/entry-list.js';
import { historyMax } from '../runs/run-history.policy.js';

/** From here on the run is worth a look. */
export const historyWarning = { entries: 10_000, bytes: 8 * 1024 * 1024 } as const;

export class LongHistories {
  /** Those that were told of and have not ended. */
  private readonly told = new Set<string>();

  constructor(private readonly log: Pick<Logger, 'warn'>) {}

  /** An entry was appended to an active run. */
  grown(runId: string, { length, bytes }: EntryList): void {
    if (length < historyWarning.entries && bytes < historyWarning.bytes) return;
    if (this.told.has(runId)) return;
    this.told.add(runId);
    this.log.warn(
      { workflowRunId: runId, entries: length, bytes, max: historyMax },
      'the history of a workflow run is long; above its maximum, steps are refused',
    );
  }

  /** The run's id may come to mean another one. */
  ended(runId: string): void {
    this.told.delete(runId);
  }
}
