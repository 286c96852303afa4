/** Which runs have been started lately, whether they have ended or not: a fold of `RunStarted`. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import { keptText } from '../../grammar/kept-text.js';
import type { RunEvent } from '../run-state/run.events.js';

/** As long as a publish is remembered for deduplication. */
const windowMs = 600_000;

/** How a run was started. */
export interface KnownRun {
  /** Of the initial delivery. */
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export class KnownRuns implements Fold<RunEvent> {
  /** In the order of their starts, so that the oldest expire from the front. */
  private readonly runs = new Map<string, KnownRun>();

  /** The run of this name that was started less than ten minutes before `at`. */
  find(runId: string, at: number): KnownRun | undefined {
    const known = this.runs.get(runId);
    return known !== undefined && at < known.createdAt + windowMs ? known : undefined;
  }

  evolve({ id, at, event }: EventEnvelope<RunEvent>, changes: TurnChanges): void {
    if (event.type !== 'RunStarted') return;
    for (const [runId, { createdAt }] of this.runs) {
      if (at < createdAt + windowMs) break;
      changes.delete(this.runs, runId);
    }
    changes.delete(this.runs, id);
    changes.set(this.runs, id, { messageId: keptText(event.messageId), createdAt: at });
  }
}
