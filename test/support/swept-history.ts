/** The law of a sweep, checked on an engine of a test: what is left replays to the same memory. */
import type { EventEnvelope } from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import { Crossings, namedBy } from '../../src/engine/history/crossings.js';
import { foldsOf, JournalSweeps } from '../../src/engine/history/journal-sweeps.js';
import type { Mark } from '../../src/engine/history/mark.js';
import type { Journal } from '../../src/engine/journal.js';

/** So few events between two edges that histories of a test have many. */
const stretch = 4;

/** Joins an engine after all its kinds, before recovery. */
export function joinHistory(engine: Engine): { crossings: Crossings; sweeps: JournalSweeps } {
  const sweeps = new JournalSweeps(engine);
  const crossings = new Crossings(stretch);
  crossings.follow(engine);
  return { crossings, sweeps };
}

/** All that an engine remembers: its streams, and what its indexes hold. */
export function memoryOf(engine: Engine): unknown {
  const streams = engine.kinds.map((kind) => {
    const actors = engine.actors(kind);
    return [kind, [...actors.ids()].sort().map((id) => [id, actors.find(id)])];
  });
  return { streams, indexes: [...foldsOf(engine)].map((fold) => heldBy(fold)) };
}

/** The maps of an index, and those of what it stands on. */
function heldBy(index: object): unknown {
  const fields = Object.entries(index).filter(
    ([, value]) => typeof value === 'object' && value !== null,
  );
  return fields.map(([name, value]) => [name, value instanceof Map ? value : heldBy(value)]);
}

/** Turns of a journal with what a sweep leaves of them; one that a crash ended came to `cut`. */
export async function sweptTurns(
  journal: Journal,
  mark: Mark,
  cut: number,
): Promise<EventEnvelope[][]> {
  const turns: EventEnvelope[][] = [];
  for await (const turn of journal.replay()) {
    turns.push(turn.filter(({ offset }) => offset >= cut || mark.keeps(offset)));
  }
  return turns;
}

/** Offsets that kept events name and that were swept. */
export async function danglingOffsets(
  engine: Engine,
  journal: Journal,
  mark: Mark,
): Promise<number[]> {
  const events: EventEnvelope[] = [];
  for await (const turn of journal.replay()) events.push(...turn);
  const offsets = new Set(events.map(({ offset }) => offset));
  const kept = events.filter(({ offset }) => mark.keeps(offset));
  return kept
    .flatMap(({ kind, event }) => namedBy(engine.actors(kind), event))
    .filter((offset) => offsets.has(offset) && !mark.keeps(offset));
}

/** Fields of an event that hold a journal offset, by their names, and that its kind does not name. */
export function unnamedOffsets(engine: Engine, { kind, event }: EventEnvelope): string[] {
  const named = new Set(namedBy(engine.actors(kind), event));
  return [...offsetFields(event, event.type)].flatMap(([path, offset]) =>
    named.has(offset) ? [] : [`${path} = ${offset}`],
  );
}

function* offsetFields(value: unknown, path: string): Generator<[path: string, offset: number]> {
  if (typeof value === 'number' && /offsets?(\.\d+)?$/i.test(path)) yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) yield* offsetFields(field, `${path}.${name}`);
}
