/** The sweeps of the journal as an entity: what all indexes forget by, live and in replay alike. */
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import { Entity } from '../entity.js';
import type { Expiring, Fold } from '../registration.js';
import type { TurnChanges } from '../turn-changes.js';
import {
  type JournalSweepCommand,
  type JournalSweepState,
  journalSweepDecider,
} from './journal-sweep.decider.js';
import {
  type JournalSweepEvent,
  journalSweepsId,
  type SweepOutcome,
} from './journal-sweep.events.js';

/**
 * The owner's sweeper records in it; a follower reads from it how far the owner has swept (ADR 61).
 */
export class JournalSweeps extends Entity<
  JournalSweepState,
  JournalSweepCommand,
  JournalSweepEvent
> {
  constructor(private readonly engineOfAll: Engine) {
    const engine = engineOfAll;
    const forgetting: Fold<JournalSweepEvent> = {
      memory: null,
      evolve({ at }: EventEnvelope<JournalSweepEvent>, changes: TurnChanges) {
        for (const { map, isOver } of expiringOf(engine)) {
          for (const [key, entry] of map) {
            if (isOver(entry, at)) changes.deleteInOrder(map, key);
          }
        }
      },
    };
    super(engine, { decider: journalSweepDecider, view: null, folds: [forgetting] });
  }

  /** Where the last sweep ended; 0 = there was none. */
  get until(): number {
    return this.stateOf(journalSweepsId).until;
  }

  /** Below this events may be gone; 0 = none is. */
  get edge(): number {
    return this.stateOf(journalSweepsId).edge;
  }

  /**
   * How many entries indexes still hold that have expired at `at`: of each map, those in front of
   * the first that has not.
   */
  overAt(at: number): number {
    let over = 0;
    for (const { map, isOver } of expiringOf(this.engineOfAll)) {
      for (const entry of map.values()) {
        if (!isOver(entry, at)) break;
        over += 1;
      }
    }
    return over;
  }

  /**
   * Remembers that a sweep, which keeps what is needed at `at`, is about to remove events below
   * `edge`; settles when that is durable.
   */
  async begin(edge: number, at: number): Promise<void> {
    await this.ask({ type: 'BeginSweep', kind: this.kind, id: journalSweepsId, at, edge });
  }

  /** Remembers what the sweep of `at` came to. */
  async record(outcome: SweepOutcome, at: number): Promise<void> {
    const { until, keptRecords, removedRecords, removedBytes } = outcome;
    const swept = { until, keptRecords, removedRecords, removedBytes };
    await this.ask({ type: 'RecordSweep', kind: this.kind, id: journalSweepsId, at, ...swept });
  }
}

function expiringOf(engine: Engine): readonly Expiring[] {
  const memories = new Set([...foldsOf(engine)].map(({ memory }) => memory));
  return [...memories].flatMap((memory) => memory?.expiring ?? []);
}

/** Every index of every kind, once each. */
export function foldsOf(engine: Engine): ReadonlySet<Fold> {
  return new Set(engine.kinds.flatMap((kind) => engine.actors(kind).folds));
}
