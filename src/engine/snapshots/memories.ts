/** What the indexes of an engine remember, by name. */
import type { Engine } from '../engine.js';
import { foldsOf } from '../history/journal-sweeps.js';
import type { FoldMemory } from '../registration.js';

/** The memory of every index, once however many kinds it follows. Throws if two share a name. */
export function memoriesOf(engine: Engine): readonly FoldMemory[] {
  const byName = new Map<string, FoldMemory>();
  for (const { memory } of foldsOf(engine)) {
    if (memory === null) continue;
    if ((byName.get(memory.name) ?? memory) !== memory) {
      throw new Error(`two indexes are called ${memory.name}`);
    }
    byName.set(memory.name, memory);
  }
  return [...byName.values()];
}
