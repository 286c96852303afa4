/**
 * A digest of what the engine itself remembers, which any later fold of the same events can be held
 * against. A small memory is digested in one tick, between two turns; a large one in many, and only
 * if the engine decides nothing meanwhile.
 */
import type { Engine } from '../engine.js';
import { memoriesOf } from './memories.js';
import { DigestSum, digestOf, itemsOf, type StateDigest } from './state-digest.js';

/** Streams and entries that are digested in one tick: 5 us each. */
const itemsAtOnceMax = 1000;

/** Of an engine that stands still: it must end before a stop does. */
const itemsStandingMax = 250_000;

/** How many of an engine that stands still are digested before others have their turn. */
const itemsPerTick = 4096;

/** Of memory as it is now, in this tick; null = there is too much of it. */
export function digestAtOnce(engine: Engine): StateDigest | null {
  return sizeOf(engine) <= itemsAtOnceMax ? digestOf(itemsOf(engine)) : null;
}

/** Of an engine that decides and folds nothing until this settles; null = as above. */
export async function digestStanding(engine: Engine): Promise<StateDigest | null> {
  const size = sizeOf(engine);
  if (size <= itemsAtOnceMax) return digestOf(itemsOf(engine));
  if (size > itemsStandingMax) return null;
  const sum = new DigestSum();
  let items = 0;
  for (const item of itemsOf(engine)) {
    sum.add(item);
    items += 1;
    if (items % itemsPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return sum.digest();
}

function sizeOf(engine: Engine): number {
  let size = 0;
  for (const kind of engine.kinds) size += engine.actors(kind).size;
  for (const { maps } of memoriesOf(engine)) {
    for (const entries of Object.values(maps)) size += entries.size;
  }
  return size;
}
