/** Failed runs on an engine that calls no endpoint, with what the journal tells of them. */
import type { FailedRunCommand } from '../../../src/workflows/failed-runs/failed-run.commands.js';
import { failedRunDecider } from '../../../src/workflows/failed-runs/failed-run.decider.js';
import { FailedRuns } from '../../../src/workflows/failed-runs/failed-run.entity.js';
import { FailedRunRecords } from '../../../src/workflows/failed-runs/failed-run-records.js';
import type { FailedRun } from '../../../src/workflows/failed-runs/failed-runs.projection.js';
import type { StartRun } from '../../../src/workflows/run-state/run.commands.js';
import { epochMs } from '../given.js';
import { startRun } from './run-commands.js';
import { openRunEngine } from './run-engine.js';

export const retentionMs = 60_000;

export async function openFailedRunEngine(directory?: string) {
  let failed: FailedRuns | undefined;
  const opened = await openRunEngine(directory, (engine, runs, messages) => {
    failed = new FailedRuns(engine, runs, messages, { deadLetterRetentionMs: retentionMs });
  });
  if (failed === undefined) throw new Error('failed runs are not registered');
  const { archive, entries, journal, payloads } = opened;
  const { letters } = failed;
  const records = new FailedRunRecords(journal, payloads, archive, entries);
  const all = (at = epochMs) => letters.all(at);
  return {
    ...opened,
    failed,
    letters,
    records,
    all,
    /** Starts a run whose first message, `msg_<its id>`, fails for good with this status. */
    async fail(changes: Partial<StartRun> & { readonly id: string }, status = 500) {
      const { id, at = epochMs } = changes;
      const messageId = `msg_${id}`;
      await opened.ask(startRun({ messageId, ...changes }));
      await opened.attempted(messageId, status, { at, nonRetryable: true });
      return letterOf(all(at), id);
    },
    toLetter: (command: Omit<FailedRunCommand, 'kind' | 'at'> & { readonly at?: number }) =>
      opened.ask({ kind: failedRunDecider.kind, at: epochMs, ...command } as FailedRunCommand),
  };
}

export type FailedRunEngine = Awaited<ReturnType<typeof openFailedRunEngine>>;

function letterOf(letters: readonly FailedRun[], id: string): FailedRun {
  const letter = letters.find(({ runId }) => runId === id);
  if (letter === undefined) throw new Error(`${id} has not failed`);
  return letter;
}
