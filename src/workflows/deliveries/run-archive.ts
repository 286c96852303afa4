/** Runs as they were: a run that has ended is folded again from its events, on request. */
import type { Journal } from '../../engine/journal.js';
import { type RunEvent, runKind } from '../run-state/run.events.js';
import { evolveRun, initialRun, type RunState } from '../run-state/run.state.js';

export class RunArchive {
  constructor(private readonly journal: Journal) {}

  /** A run after its events in [`startedOffset`, `until`); costs what the run has. */
  async stateOf(runId: string, startedOffset: number, until: number): Promise<RunState> {
    let state = initialRun();
    for await (const envelope of this.journal.find(runId, startedOffset, until)) {
      if (envelope.kind !== runKind) continue;
      state = evolveRun(state, envelope.event as RunEvent, envelope);
    }
    return state;
  }
}
