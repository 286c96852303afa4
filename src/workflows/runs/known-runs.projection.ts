/** The runs that were started recently and have ended since: a fold of their ends. */
import { type EventEnvelope, keptText } from '../../engine/decider.js';
import type { Fold, FoldMemory, Interest } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { RunEvent } from '../run-state/run.events.js';

/** As long as a published message is remembered for deduplication. */
const windowMs = 600_000;

/** How a run was started. */
export interface KnownRun {
  /** Id of the initial delivery. */
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

interface EndedRun extends KnownRun {
  /** Journal offset of its end. */
  readonly offset: number;
}

/**
 * Bounded by the runs that end within ten minutes, and those that wait to be removed (`Expiring`).
 * An active run is known by its own state.
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
   * Runs invoked in a turn, whose start comes only after everything else that the turn decides. The
   * map is empty between turns, so it is not part of `memory`.
   */
  private readonly invoked = new Map<string, KnownRun>();
  /** Ended runs, in the order of their ends. */
  private readonly runs = new Map<string, EndedRun>();
  readonly memory: FoldMemory = {
    name: 'known runs',
    maps: { runs: this.runs },
    inOrder: [this.runs],
    expiring: [{ map: this.runs, isOver: (run: EndedRun, at) => isOver(run, at) }],
  };

  /**
   * `startOf` returns the start of an active run; it still does so while the run's end is folded.
   */
  constructor(private readonly startOf: (runId: string) => KnownRun | undefined) {}

  /**
   * The run of this id that is about to start, or that has ended and was started less than ten
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
      // The id of an ended run is in use again.
      changes.deleteInOrder(this.runs, id);
    }
    const start = this.startOf(id);
    if (start === undefined || isOver(start, at)) return;
    const { messageId, createdAt } = start;
    changes.set(this.runs, id, { messageId: keptText(messageId), createdAt, offset });
  }
}

/** `abs`, because a clock that was ahead for a moment may have given a start time in the future. */
function isOver({ createdAt }: KnownRun, at: number): boolean {
  return Math.abs(at - createdAt) >= windowMs;
}
