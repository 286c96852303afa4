/** What is kept of a workflow run that has failed; a test names what it is about. */
import type { FailedRun } from '../../../src/workflows/failed-runs/failed-runs.projection.js';
import { epochMs } from '../given.js';

export function failedRun(changes: Partial<FailedRun> = {}): FailedRun {
  return {
    id: 'it',
    at: epochMs,
    offset: 9,
    runId: 'wfr_1',
    createdAt: epochMs - 1000,
    startedOffset: 2,
    configurationOffset: 2,
    failureCallbackOffset: 2,
    callback: null,
    ...changes,
  };
}
