/**
 * A digest of what the engine itself remembers, to be compared with any later fold of the same
 * events. A small memory is digested in one tick, between two turns; a large one in many ticks, and
 * only if the engine decides nothing meanwhile.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Engine } from '../engine.js';
import { memoriesOf } from './memories.js';
import { DigestSum, digestOf, itemsOf, type StateDigest } from './state-digest.js';

/** How many streams and entries are digested in one tick: 5 us each. */
const itemsAtOnceMax = 1000;

/** The limit for an engine that stands still: digesting must end before a stop does. */
const itemsStandingMax = 250_000;

/** How many items of an engine that stands still are digested before other work gets its turn. */
const itemsPerTick = 4096;

/** The digest of memory as it is now, in this tick; null = memory is too large. */
export function digestAtOnce(engine: Engine): StateDigest | null {
  return sizeOf(engine) <= itemsAtOnceMax ? digestOf(itemsOf(engine)) : null;
}

/** Digests an engine that decides and folds nothing until this settles; null = as above. */
export async function digestStanding(engine: Engine): Promise<StateDigest | null> {
  const size = sizeOf(engine);
  if (size <= itemsAtOnceMax) return digestOf(itemsOf(engine));
  if (size > itemsStandingMax) return null;
  const sum = new DigestSum();
  let items = 0;
  for (const item of itemsOf(engine)) {
    sum.add(item);
    items += 1;
    if (items % itemsPerTick === 0) await nextTick();
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
