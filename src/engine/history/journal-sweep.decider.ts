/** How far the journal was swept: every sweep is recorded, so that an auditor sees it. */
import { accept, type Command, type Decider } from '../decider.js';
import { type JournalSwept, journalSweepKind, type SweepOutcome } from './journal-sweep.events.js';

/** Records a sweep that has ended. */
export interface RecordSweep extends Command<null>, SweepOutcome {
  readonly type: 'RecordSweep';
}

/** What memory holds of all sweeps. */
export interface JournalSweepState {
  /** Where the last one ended; 0 = there was none. */
  readonly until: number;
}

export const journalSweepDecider: Decider<JournalSweepState, RecordSweep, JournalSwept> = {
  kind: journalSweepKind,
  initialState: () => ({ until: 0 }),
  decide: ({ until, keptRecords, removedRecords, removedBytes }) =>
    accept([{ type: 'JournalSwept', until, keptRecords, removedRecords, removedBytes }]),
  evolve: (_state, { until }) => ({ until }),
  wants: () => [],
  isFinal: () => false,
  checkpoints: { references: () => [] },
};
