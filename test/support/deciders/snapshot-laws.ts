/** What holds for every decider when its memory is stored and read back. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import type { Journal } from '../../../src/engine/journal.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import { foldingEngine, openEngine } from '../engine.js';
import { memoryOf } from '../swept-history.js';
import { countedNames, histories, historyStart, runs, type Subject } from './histories.js';

/** Tests that a snapshot and the rest of the journal are as good as all of the journal. */
export function testSnapshots<Indexes>({ commands, register, address }: Subject<Indexes>): void {
  it('remembers after a snapshot and what came behind it as after everything', async () => {
    await fc.assert(
      fc.asyncProperty(histories(commands, 2), fc.nat(99), fc.nat(99), async (turns, ...cuts) => {
        const registered: Indexes[] = [];
        const fill = (engine: Engine) => void registered.push(register(engine));
        const live = await openEngine(fill, undefined, {}, countedNames());
        const [indexes] = registered;
        let at = historyStart;
        for (const { afterMs, turn } of turns) {
          at += afterMs;
          const given = turn.map((command) => address?.(command, indexes as Indexes) ?? command);
          await live.engine.dispatch(given.map((command) => ({ ...command, at })));
        }
        const batches = await batchesOf(live.journal);
        let folded = await foldedFrom(null, fill);
        let from = 0;
        const places = [...cuts.map((cut) => cut % (batches.length + 1)), batches.length];
        for (const cut of places.sort((one, other) => one - other)) {
          await folded.aside.fold(batches.slice(from, cut));
          folded = await foldedFrom(folded.aside, fill);
          from = cut;
        }
        expect(memoryOf(folded.engine)).toEqual(memoryOf(live.engine));
        expect(digestOf(itemsOf(folded.engine))).toEqual(digestOf(itemsOf(live.engine)));
        await live.close();
        await rm(dirname(live.directory), { recursive: true });
      }),
      { numRuns: runs },
    );
  }, 600_000);
}

/** All of a journal as it may be passed on. */
async function batchesOf(journal: Journal): Promise<BatchBytes[]> {
  const batches: BatchBytes[] = [];
  for await (const some of journal.batches(0, journal.highWatermark)) {
    batches.push(...some.map(({ content }) => content));
  }
  return batches;
}

/** An engine with the image of another, or empty. */
async function foldedFrom(other: FoldingHere | null, fill: (engine: Engine) => void) {
  const { engine, codec } = foldingEngine(fill);
  const aside = new FoldingHere(engine, codec);
  if (other !== null) for (const part of other.image()) await aside.take(part);
  return { engine, aside };
}
