/**
 * A digest of a part of memory, if there is too much to be digested between two turns: the content
 * of some hundred streams, and the number of all other things. Part by part, every stream is
 * covered. Entries of indexes are only counted: selecting some would mean passing over all.
 */
import type { Engine } from '../engine.js';
import type { StreamPart } from '../resting/stream-part.js';
import { memoriesOf } from './memories.js';
import { DigestSum, digestOfSections, type StateDigest, streamItem } from './state-digest.js';

/** How many streams a part has at most, if they are spread evenly: 5 us each. */
const streamsInPart = 512;

/** The part for a number; consecutive numbers select consecutive parts. */
export function partInTurn(engine: Engine, turn: number): StreamPart {
  let streams = 0;
  for (const kind of engine.kinds) streams += engine.actors(kind).size;
  const of = 2 ** Math.max(0, Math.ceil(Math.log2(streams / streamsInPart)));
  return { number: turn % of, of };
}

/** The digest of memory as it is now, in this tick. */
export function partDigest(engine: Engine, part: StreamPart): StateDigest {
  const sum = new DigestSum();
  const counts = new Map<string, number>();
  for (const kind of engine.kinds) {
    const actors = engine.actors(kind);
    counts.set(kind, actors.size);
    for (const stream of actors.stored(part)) sum.add(streamItem(kind, stream));
  }
  for (const { name, maps, mayHoldMore } of memoriesOf(engine)) {
    if (mayHoldMore) continue;
    for (const [map, entries] of Object.entries(maps)) counts.set(`${name}.${map}`, entries.size);
  }
  const counted = [...counts].filter(([, items]) => items > 0);
  return digestOfSections([
    ...sum.ofSections(),
    ...counted.map(([name, items]) => ({ section: `count of ${name}`, items, sum: '' })),
  ]);
}
