/** Which runs have been started lately, whether they have ended or not: a fold of `RunStarted`. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Interest } from '../../engine/following/interest.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
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

interface Start extends KnownRun {
  /** Journal offset of `RunStarted`. */
  readonly offset: number;
}

/** Bounded by the starts of ten minutes. */
export class KnownRuns implements Fold<RunEvent> {
  readonly interest: Interest<RunEvent> = { types: { RunStarted: true } };
  /** In the order of their starts, so that the oldest expire from the front. */
  private readonly runs = new Map<string, Start>();
  readonly memory: FoldMemory = {
    name: 'known runs',
    maps: { runs: this.runs },
  };

  /** The run of this name that was started less than ten minutes before `at`. */
  find(runId: string, at: number): KnownRun | undefined {
    const known = this.runs.get(runId);
    if (known === undefined || isOver(known, at)) return undefined;
    const { messageId, createdAt } = known;
    return { messageId, createdAt };
  }

  *references(at: number): Generator<number> {
    for (const start of this.runs.values()) if (!isOver(start, at)) yield start.offset;
  }

  forget(at: number, changes: TurnChanges): void {
    for (const [runId, start] of this.runs) {
      if (isOver(start, at)) changes.deleteInOrder(this.runs, runId);
    }
  }

  evolve({ id, at, offset, event }: EventEnvelope<RunEvent>, changes: TurnChanges): void {
    if (event.type !== 'RunStarted') return;
    for (const [runId, start] of this.runs) {
      if (!isOver(start, at)) break;
      changes.deleteInOrder(this.runs, runId);
    }
    changes.deleteInOrder(this.runs, id);
    const messageId = keptText(event.messageId);
    changes.set(this.runs, id, { messageId, createdAt: at, offset });
  }
}

function isOver({ createdAt }: KnownRun, at: number): boolean {
  return at >= createdAt + windowMs;
}
