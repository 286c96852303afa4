/** How far the journal was swept: every sweep is recorded, so that an auditor can see it. */
import { accept, type Checkpointed, type Command, type Decider } from '../decider.js';
import {
  type JournalSweepEvent,
  journalSweepKind,
  type SweepOutcome,
} from './journal-sweep.events.js';

/** Records that a sweep is about to remove events. */
export interface BeginSweep extends Command<null> {
  readonly type: 'BeginSweep';
  readonly edge: number;
}

/** Records a sweep that has ended. */
export interface RecordSweep extends Command<null>, SweepOutcome {
  readonly type: 'RecordSweep';
}

/** What memory holds about all sweeps. */
export interface JournalSweepState {
  /** Where the last completed sweep ended; 0 = there was none. */
  readonly until: number;
  /** Events below this offset may have been removed; 0 = none were. */
  readonly edge: number;
}

/** All commands for the one stream of sweeps, whose id is `journalSweepsId`. */
export type JournalSweepCommand = BeginSweep | RecordSweep;

/**
 * Refuses nothing, reacts to nothing and wants nothing: `JournalSweeper` decides whether a sweep is
 * worth it, and records here what it does.
 */
export const journalSweepDecider: Decider<
  JournalSweepState,
  JournalSweepCommand,
  JournalSweepEvent
> = {
  kind: journalSweepKind,
  events: { JournalSweepBegun: [], JournalSwept: [], Checkpointed: [edgeOfCheckpoint] },
  initialState: () => ({ until: 0, edge: 0 }),
  decide: (command) => {
    if (command.type === 'BeginSweep') {
      return accept([{ type: 'JournalSweepBegun', edge: command.edge }]);
    }
    const { until, keptRecords, removedRecords, removedBytes } = command;
    return accept([{ type: 'JournalSwept', until, keptRecords, removedRecords, removedBytes }]);
  },
  evolve: ({ until, edge }, event) =>
    event.type === 'JournalSweepBegun'
      ? { until, edge: Math.max(edge, event.edge) }
      : { until: event.until, edge: Math.max(edge, event.until) },
  wants: () => [],
  isFinal: () => false,
  checkpoints: { references: () => [] },
};

/** Version 1 recorded only sweeps that had ended. */
function edgeOfCheckpoint(
  fields: Checkpointed<Omit<JournalSweepState, 'edge'>>,
): Checkpointed<JournalSweepState> {
  const { state } = fields;
  return { ...fields, state: { ...state, edge: state.until } };
}
