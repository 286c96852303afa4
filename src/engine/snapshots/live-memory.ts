/**
 * What the engine itself remembers, to be compared with what was folded aside of the same events:
 * were `evolve` not the same each time, the two would differ. A memory that is digested within a
 * few milliseconds is taken in one tick, while the engine goes on; any other when it stands still.
 */
import type { Engine } from '../engine.js';
import type { Journal } from '../journal.js';
import { memoriesOf } from './memories.js';
import {
  type Difference,
  DigestSum,
  differenceOf,
  itemsOf,
  type MemoryItem,
  type StateDigest,
} from './state-digest.js';

/** Memory as it was after the last event below an offset. */
export interface LiveMemory {
  readonly offset: number;
  readonly digest: StateDigest;
  items(): Iterable<MemoryItem>;
}

/** Streams and entries that are digested in one tick: 5 us each. */
const itemsAtOnceMax = 1000;

/** Of an engine that stands still. Both memories are digested: it must end before a stop does. */
const itemsStandingMax = 250_000;

/** How many of an engine that stands still are digested before others have their turn. */
const itemsPerTick = 4096;

/** null = there is too much of it, and the engine goes on. Is durable when it is given. */
export async function liveMemory(
  engine: Engine,
  journal: Journal,
  standsStill: boolean,
): Promise<LiveMemory | null> {
  const size = sizeOf(engine);
  if (size > (standsStill ? itemsStandingMax : itemsAtOnceMax)) return null;
  if (size > itemsAtOnceMax) return standing(engine, journal);
  const offset = journal.endOffset;
  const items = [...itemsOf(engine)].map((item) => ({ ...item, bytes: Buffer.from(item.bytes) }));
  const sum = new DigestSum();
  for (const item of items) sum.add(item);
  await engine.durable();
  return { offset, digest: sum.digest(), items: () => items };
}

async function standing(engine: Engine, journal: Journal): Promise<LiveMemory> {
  await engine.durable();
  const offset = journal.endOffset;
  const sum = new DigestSum();
  let items = 0;
  for (const item of itemsOf(engine)) {
    sum.add(item);
    items += 1;
    if (items % itemsPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { offset, digest: sum.digest(), items: () => itemsOf(engine) };
}

function sizeOf(engine: Engine): number {
  let size = 0;
  for (const kind of engine.kinds) size += engine.actors(kind).size;
  for (const { maps } of memoriesOf(engine)) {
    for (const entries of Object.values(maps)) size += entries.size;
  }
  return size;
}

/** A stream or an entry that two memories have differently. */
export interface DifferingItem extends Difference {
  readonly section: string;
  readonly key: string;
}

/** So many are named; one defect may touch all. */
const namedMax = 10;

/** Items of some sections in which two memories differ, some of them. */
export function differingItems(
  ones: Iterable<MemoryItem>,
  others: Iterable<MemoryItem>,
  sections: readonly string[],
): DifferingItem[] {
  const meant = new Set(sections);
  const nameOf = ({ section, key }: MemoryItem) => JSON.stringify([section, key]);
  const byName = new Map<string, MemoryItem>();
  for (const item of ones) if (meant.has(item.section)) byName.set(nameOf(item), item);
  const differing: DifferingItem[] = [];
  const add = ({ section, key }: MemoryItem, difference: Difference | null) => {
    if (difference === null || differing.length === namedMax) return;
    differing.push({ section, key, ...difference });
  };
  for (const other of others) {
    if (!meant.has(other.section)) continue;
    const one = byName.get(nameOf(other));
    byName.delete(nameOf(other));
    add(other, one === undefined ? missing('one') : differenceOf(one, other));
  }
  for (const one of byName.values()) add(one, missing('other'));
  return differing;
}

function missing(side: 'one' | 'other'): Difference {
  const [one, other] = side === 'one' ? [undefined, 'it is there'] : ['it is there', undefined];
  return { field: '', one, other };
}
