/** The sweeps of the journal as an entity: its events make indexes drop expired entries. */
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

/** The owner's sweeper records its sweeps; a follower sees how far the owner has swept (ADR 61). */
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

  /** Events below this offset may have been removed; 0 = none were. */
  get edge(): number {
    return this.stateOf(journalSweepsId).edge;
  }

  /**
   * How many entries that have expired at `at` the indexes still hold: in each map, those before
   * the first entry that has not expired.
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
   * Records that a sweep, which keeps events needed at `at`, is about to remove events below
   * `edge`; settles when that is durable.
   */
  async begin(edge: number, at: number): Promise<void> {
    await this.ask({ type: 'BeginSweep', kind: this.kind, id: journalSweepsId, at, edge });
  }

  /** Records the outcome of the sweep that began at `at`. */
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
