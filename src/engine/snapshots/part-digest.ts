/**
 * A digest of a part of memory, where there is too much of it to be digested between two turns: of
 * some hundred streams what they are, of everything else how much there is. One part after another
 * they come to every stream. Entries of indexes are only counted: to find some is to pass them all.
 */
import type { Engine } from '../engine.js';
import type { StreamPart } from '../resting/stream-part.js';
import { memoriesOf } from './memories.js';
import { DigestSum, digestOfSections, type StateDigest, streamItem } from './state-digest.js';

/** How many streams a part has at most, if they are spread evenly: 5 us each. */
const streamsInPart = 512;

/** The part whose turn it is: numbers that follow each other are of parts that do. */
export function partInTurn(engine: Engine, turn: number): StreamPart {
  let streams = 0;
  for (const kind of engine.kinds) streams += engine.actors(kind).size;
  const of = 2 ** Math.max(0, Math.ceil(Math.log2(streams / streamsInPart)));
  return { number: turn % of, of };
}

/** Of memory as it is now, in this tick. */
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
