/** The sweeps of the journal as an entity: what all indexes forget by, live and in replay alike. */
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import { Entity } from '../entity.js';
import type { Fold } from '../registration.js';
import {
  type JournalSweepState,
  journalSweepDecider,
  type RecordSweep,
} from './journal-sweep.decider.js';
import { type JournalSwept, journalSweepsId, type SweepOutcome } from './journal-sweep.events.js';

export class JournalSweeps extends Entity<JournalSweepState, RecordSweep, JournalSwept> {
  constructor(engine: Engine) {
    const forgetting: Fold<JournalSwept> = {
      memory: null,
      evolve({ at, event }: EventEnvelope<JournalSwept>, changes) {
        if (event.type !== 'JournalSwept') return;
        for (const fold of foldsOf(engine)) fold.forget?.(at, changes);
      },
    };
    super(engine, { decider: journalSweepDecider, view: null, folds: [forgetting] });
  }

  /** Where the last sweep ended; 0 = there was none. */
  get until(): number {
    return this.stateOf(journalSweepsId).until;
  }

  /** Remembers that a sweep has ended at `at`. */
  async record(outcome: SweepOutcome, at: number): Promise<void> {
    const { until, keptRecords, removedRecords, removedBytes } = outcome;
    const swept = { until, keptRecords, removedRecords, removedBytes };
    await this.ask({ type: 'RecordSweep', kind: this.kind, id: journalSweepsId, at, ...swept });
  }
}

/** Every index of every kind, once each. */
export function foldsOf(engine: Engine): ReadonlySet<Fold> {
  return new Set(engine.kinds.flatMap((kind) => engine.actors(kind).folds));
}
