/** The sweeps of the journal as an entity: its events make indexes drop expired entries. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import { Entity } from '../entity.js';
import type { Expiring, Fold } from '../registration.js';
import type { Placed, TurnChanges } from '../turn-changes.js';
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

/** How many entries are examined in one tick. */
const entriesPerTick = 4096;

/** The keys of all entries that have expired at this time. */
interface FoundOver {
  readonly at: number;
  readonly keys: readonly (readonly [Expiring, string | number])[];
}

/** The owner's sweeper records its sweeps; a follower sees how far the owner has swept (ADR 61). */
export class JournalSweeps extends Entity<
  JournalSweepState,
  JournalSweepCommand,
  JournalSweepEvent
> {
  /** Only while a command is decided: spares `evolve` the look at every entry. */
  private found: FoundOver | null = null;

  constructor(private readonly engineOfAll: Engine) {
    const engine = engineOfAll;
    const foundAt = (at: number) => (this.found?.at === at ? this.found.keys : null);
    const forgetting: Fold<JournalSweepEvent> = {
      memory: null,
      evolve({ at }: EventEnvelope<JournalSweepEvent>, changes: TurnChanges) {
        const found = foundAt(at);
        if (found !== null) return forget(found, at, changes);
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
  begin(edge: number, at: number): Promise<void> {
    return this.forgetting({
      type: 'BeginSweep',
      kind: this.kind,
      id: journalSweepsId,
      at,
      edge,
    });
  }

  /** Records the outcome of the sweep that began at `at`. */
  record(outcome: SweepOutcome, at: number): Promise<void> {
    const { until, keptRecords, removedRecords, removedBytes } = outcome;
    const swept = { until, keptRecords, removedRecords, removedBytes };
    const { kind } = this;
    return this.forgetting({ type: 'RecordSweep', kind, id: journalSweepsId, at, ...swept });
  }

  /** Finds what the event of this command drops a few entries at a time, and drops it at once. */
  private async forgetting(command: JournalSweepCommand): Promise<void> {
    const { at } = command;
    const scans = expiringOf(this.engineOfAll).map((expiring) => new ExpiredScan(expiring, at));
    for (const scan of scans) {
      while (scan.left > entriesPerTick) {
        scan.examine(entriesPerTick);
        await nextTick();
      }
    }
    // Nothing comes between this and the event. The scans go on where they stopped, with the
    // entries that were added since.
    for (const scan of scans) scan.examine(Number.POSITIVE_INFINITY);
    this.found = { at, keys: scans.flatMap(({ keys }) => keys) };
    const asked = this.ask(command);
    this.found = null;
    await asked;
  }
}

/** Finds the entries of a map that have expired, a few at a time, while the map changes. */
class ExpiredScan {
  readonly keys: (readonly [Expiring, string | number])[] = [];
  /** Shows entries that are added to the map until it has ended. */
  private readonly entries: Iterator<[string | number, Placed]>;
  private examined = 0;

  constructor(
    private readonly expiring: Expiring,
    private readonly at: number,
  ) {
    this.entries = expiring.map.entries();
  }

  /** About how many entries were not examined yet. */
  get left(): number {
    return this.expiring.map.size - this.examined;
  }

  /** Examines this many entries more, or all if there are fewer. */
  examine(count: number): void {
    for (let more = count; more > 0; more -= 1) {
      const next = this.entries.next();
      if (next.done === true) return;
      const [key, entry] = next.value;
      this.examined += 1;
      if (this.expiring.isOver(entry, this.at)) this.keys.push([this.expiring, key]);
    }
  }
}

/** Drops those of the found entries that are still there and have still expired. */
function forget(found: FoundOver['keys'], at: number, changes: TurnChanges): void {
  for (const [{ map, isOver }, key] of found) {
    const entry = map.get(key);
    if (entry !== undefined && isOver(entry, at)) changes.deleteInOrder(map, key);
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
