/** Which runs were started lately and have ended since: a fold of their ends. */
import { type EventEnvelope, keptText } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
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

interface EndedRun extends KnownRun {
  /** Journal offset of its end. */
  readonly offset: number;
}

/**
 * Bounded by the ends of ten minutes, and those that wait to go (`Expiring`). A run that goes on is
 * known by its state.
 */
export class KnownRuns implements Fold<RunEvent> {
  readonly interest: Interest<RunEvent> = {
    types: {
      StepInvoked: true,
      RunStarted: true,
      RunSucceeded: true,
      RunFailed: true,
      RunCanceled: true,
    },
  };
  /**
   * Those that are invoked in a turn begin behind all that is decided in it. Between two turns
   * there is none, so that it is no part of what is remembered.
   */
  private readonly invoked = new Map<string, KnownRun>();
  /** In the order of their ends. */
  private readonly runs = new Map<string, EndedRun>();
  readonly memory: FoldMemory = {
    name: 'known runs',
    maps: { runs: this.runs },
    inOrder: [this.runs],
    expiring: [{ map: this.runs, isOver: (run: EndedRun, at) => isOver(run, at) }],
  };

  /** `startOf` tells of a run that goes on; it does so still while its end is folded. */
  constructor(private readonly startOf: (runId: string) => KnownRun | undefined) {}

  /**
   * The run of this name that is about to begin; or that has ended, and was started less than ten
   * minutes before `at`.
   */
  find(runId: string, at: number): KnownRun | undefined {
    const known = this.invoked.get(runId) ?? this.runs.get(runId);
    if (known === undefined || isOver(known, at)) return undefined;
    const { messageId, createdAt } = known;
    return { messageId, createdAt };
  }

  *references(at: number): Generator<number> {
    for (const start of this.runs.values()) if (!isOver(start, at)) yield start.offset;
  }

  evolve({ id, at, offset, event }: EventEnvelope<RunEvent>, changes: TurnChanges): void {
    if (event.type === 'StepInvoked') {
      const { runId, messageId } = event;
      changes.set(this.invoked, runId, { messageId, createdAt: at });
      return;
    }
    if (event.type === 'RunStarted') {
      changes.delete(this.invoked, id);
      // It goes on, under the name of one that was over.
      changes.deleteInOrder(this.runs, id);
    }
    const start = this.startOf(id);
    if (start === undefined || isOver(start, at)) return;
    const { messageId, createdAt } = start;
    changes.set(this.runs, id, { messageId: keptText(messageId), createdAt, offset });
  }
}

/** What a clock that was ahead for a moment has started is over too, once that is set right. */
function isOver({ createdAt }: KnownRun, at: number): boolean {
  return Math.abs(at - createdAt) >= windowMs;
}
