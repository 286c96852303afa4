/** The law of a sweep, checked on an engine of a test: what is left replays to the same memory. */
import { type DomainEvent, type EventEnvelope, isCheckpoint } from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import { Entity } from '../../src/engine/entity.js';
import type { EventCodec } from '../../src/engine/event-codec.js';
import { Crossings, namedBy } from '../../src/engine/history/crossings.js';
import { JournalSweeper } from '../../src/engine/history/journal-sweeper.js';
import { foldsOf, JournalSweeps } from '../../src/engine/history/journal-sweeps.js';
import type { Identifiers } from '../../src/engine/identifiers.js';
import { type Journal, journalLogName } from '../../src/engine/journal.js';
import type { FoldMemory } from '../../src/engine/registration.js';
import type { Store, StoreOptions } from '../../storage/store.js';
import type { SimulatedDisk } from '../simulation/simulated-disk.js';
import { openSimulated } from '../storage/simulated-store.js';
import { startEngine } from './engine.js';
import { ManualClock } from './manual-clock.js';

/** So few events between two edges that histories of a test have many. */
const stretch = 4;

/** An engine over a simulated disk, and its sweeps. */
export interface SweptEngine {
  readonly disk: SimulatedDisk;
  readonly store: Store;
  readonly engine: Engine;
  readonly codec: EventCodec;
  readonly journal: Journal;
  readonly sweeps: JournalSweeps;
  readonly sweeper: JournalSweeper;
  /** Seals what there is, so that it can be swept. */
  roll(): Promise<void>;
  /** Where a sweep of what is older than `before`, Unix milliseconds, ends at most. */
  edge(before: number): Promise<number>;
}

/** What `openSwept` registers, for an engine that folds aside. */
export function joinSwept(engine: Engine, fill: (engine: Engine) => void): void {
  fill(engine);
  new JournalSweeps(engine);
  new Crossings(stretch).follow(engine);
}

/** Opens an engine on a disk, with what `fill` registers, and recovers. */
export async function openSwept(
  disk: SimulatedDisk,
  fill: (engine: Engine) => void,
  identifiers: Identifiers,
  options: Partial<StoreOptions> = {},
): Promise<SweptEngine> {
  const bytes = 16 * 1024;
  // A crash leaves all of a group or nothing, so that offsets are those of a journal without it.
  const sizes = { segmentBytes: bytes, writtenBytesMax: bytes };
  const { store } = await openSimulated(disk, { ...sizes, ...options });
  const crossings = new Crossings(stretch);
  const joined: JournalSweeps[] = [];
  const join = (engine: Engine) => {
    fill(engine);
    joined.push(new JournalSweeps(engine));
    crossings.follow(engine);
  };
  const started = await startEngine(store, join, new ManualClock(), identifiers);
  const { engine, codec, journal } = started;
  const [sweeps] = joined;
  if (sweeps === undefined) throw new Error('the engine was opened without its kinds');
  const rules = { bytesMin: 0, archiveFolder: null };
  const sweeper = new JournalSweeper(engine, journal, crossings, sweeps, rules);
  const roll = async () => store.log(journalLogName)?.roll();
  const edge = async (before: number) => crossings.edgeAt(await journal.offsetFor(before));
  return { disk, store, engine, codec, journal, sweeps, sweeper, roll, edge };
}

/** All that an engine remembers: its streams, and what its indexes hold. */
export function memoryOf(engine: Engine): unknown {
  const streams = engine.kinds.map((kind) => {
    const actors = engine.actors(kind);
    return [kind, [...actors.ids()].sort().map((id) => [id, actors.find(id)])];
  });
  const folds = [...foldsOf(engine)].filter(({ memory }) => memory?.mayHoldMore !== true);
  return { streams, indexes: folds.map((fold) => heldBy(fold)) };
}

/** The maps of an index, and those of what it stands on. */
function heldBy(index: object): unknown {
  const fields = Object.entries(index).filter(
    ([, value]) => typeof value === 'object' && value !== null && !(value instanceof Entity),
  );
  return fields.map(([name, value]) => [name, value instanceof Map ? value : heldBy(value)]);
}

/** Drops the entries of an index that have expired at `at`, as a recorded sweep does. */
export function forget({ expiring = [] }: FoldMemory, at: number): void {
  for (const { map, isOver } of expiring) {
    for (const [key, entry] of map) if (isOver(entry, at)) map.delete(key);
  }
}

/** What a sweep was to remove and has not reached: [from, until) of the journal. */
export interface Leftovers {
  readonly from: number;
  readonly until: number;
}

/**
 * Offsets that events of a swept journal name, of events that there were before. Among leftovers,
 * what has ended counts for nothing: a sweep that a crash has cut removes what it names first.
 */
export async function danglingOffsets(
  { engine, journal }: SweptEngine,
  before: ReadonlySet<number>,
  leftovers: Leftovers,
): Promise<number[]> {
  const events: EventEnvelope[] = [];
  for await (const turn of journal.replay()) events.push(...turn);
  const left = new Set(events.map(({ offset }) => offset));
  const isLeftover = ({ kind, id, offset }: EventEnvelope) =>
    offset >= leftovers.from &&
    offset < leftovers.until &&
    (engine.actors(kind).firstOffsetOf(id) ?? offset + 1) > offset;
  return events
    .filter((envelope) => !isLeftover(envelope))
    .flatMap(({ kind, event }) => namedBy(engine.actors(kind), event))
    .filter((offset) => before.has(offset) && !left.has(offset));
}

/** Fields of an event that hold a journal offset, by their names, and that its kind names not. */
export function unnamedOffsets(engine: Engine, { kind, event }: EventEnvelope): string[] {
  // What indexes remember they name themselves.
  const { entries: _entries, ...fields } = event as DomainEvent & { entries?: unknown };
  const named = new Set(namedBy(engine.actors(kind), event));
  return [...offsetFields(isCheckpoint(event) ? fields : event, event.type)].flatMap(
    ([path, offset]) => (named.has(offset) ? [] : [`${path} = ${offset}`]),
  );
}

function* offsetFields(value: unknown, path: string): Generator<[path: string, offset: number]> {
  if (typeof value === 'number' && /offsets?(\.\d+)?$/i.test(path)) yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) yield* offsetFields(field, `${path}.${name}`);
}
