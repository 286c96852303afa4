/** What letters ask of messages and of runs, over an engine of a test. */

import type { Engine } from '../../src/engine/engine.js';
import type { RunOrigin } from '../../src/workflows/failed-runs/failed-runs.projection.js';
import { runKind } from '../../src/workflows/run-state/run.events.js';
import type { RunState } from '../../src/workflows/run-state/run.state.js';

export function originOf(engine: Engine) {
  return (runId: string): RunOrigin | undefined => {
    const state = engine.actors(runKind).find(runId)?.state as RunState | undefined;
    if (state === undefined) return undefined;
    const { createdAt, startedOffset, configurationOffset, failureCallbackOffset } = state.context;
    return { createdAt, startedOffset, configurationOffset, failureCallbackOffset };
  };
}
