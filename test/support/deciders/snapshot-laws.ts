/** What holds for every decider when its memory is stored and read back. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { EventCodec } from '../../../src/engine/event-codec.js';
import type { Journal } from '../../../src/engine/journal.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import { memoriesOf } from '../../../src/engine/snapshots/memories.js';
import { type ImagePart, MemoryCut } from '../../../src/engine/snapshots/memory-cut.js';
import { ImageReader } from '../../../src/engine/snapshots/memory-image.js';
import { partDigest } from '../../../src/engine/snapshots/part-digest.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { type BatchBytes, recordsOf } from '../../../storage/format/record-batch.js';
import { type EngineOnDisk, foldingEngine, openEngine } from '../engine.js';
import { memoryOf } from '../swept-history.js';
import { countedNames, histories, historyStart, runs, type Subject } from './histories.js';

const halves = [0, 1].map((number) => ({ number, of: 2 }));

/** Tests that a snapshot and the rest of the journal are as good as all of the journal. */
export function testSnapshots<Indexes>({ commands, register, address }: Subject<Indexes>): void {
  it('remembers after a snapshot and what came behind it as after everything', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories(commands, 2),
        fc.nat(99),
        fc.array(fc.nat(60)),
        async (turns, ...[at, progress]) => {
          const registered: Indexes[] = [];
          const fill = (engine: Engine) => void registered.push(register(engine));
          const live = await openEngine(fill, undefined, {}, countedNames());
          const [indexes] = registered;
          const snapshot = new SnapshotBeside(live, progress);
          let time = historyStart;
          for (const [index, { afterMs, turn }] of turns.entries()) {
            if (index === at % turns.length) snapshot.begin();
            time += afterMs;
            const given = turn.map((command) => address?.(command, indexes as Indexes) ?? command);
            await live.engine.dispatch(given.map((command) => ({ ...command, at: time })));
            await snapshot.proceed();
          }
          const { offset, parts } = await snapshot.rest();
          const { journal } = live;
          const batches = await batchesOf(journal);
          const later = await partsOf(new MemoryCut(live.engine, live.codec));
          const restored = foldingEngine(fill);
          const reader = new ImageReader(restored.engine, restored.codec);
          for (const part of parts) reader.take(part);
          reader.end();
          await fold(restored, batches, offset);
          const folded = foldingEngine(fill);
          await fold(folded, batches, 0);
          for (const { engine } of [restored, folded]) {
            expect(memoryOf(engine)).toEqual(memoryOf(live.engine));
            expect(digestOf(itemsOf(engine))).toEqual(digestOf(itemsOf(live.engine)));
            for (const part of halves) {
              expect(partDigest(engine, part)).toEqual(partDigest(live.engine, part));
            }
            expect(ordersOf(engine)).toEqual(ordersOf(live.engine));
            expect(await durableOf(engine)).toEqual(await durableOf(live.engine));
          }
          const checked = foldingEngine(fill);
          const aside = new FoldingHere(checked.engine, checked.codec);
          const behind = batches.filter(({ baseOffset }) => baseOffset >= offset);
          await aside.touch(behind);
          for (const part of parts) await aside.take(part);
          await aside.fold(behind);
          for (const part of later) await aside.compare(part);
          expect(await aside.differences()).toEqual([]);
          await live.close();
          await rm(dirname(live.directory), { recursive: true });
        },
      ),
      { numRuns: runs },
    );
  }, 600_000);
}

/** One that is made while turns go on: so many parts of it after each. */
class SnapshotBeside {
  private cut: MemoryCut | null = null;
  private parts: AsyncGenerator<ImagePart> | null = null;
  private readonly made: ImagePart[] = [];
  private offset = 0;

  constructor(
    private readonly live: EngineOnDisk,
    private readonly progress: number[],
  ) {}

  begin(): void {
    const { engine, codec, journal } = this.live;
    this.offset = journal.endOffset;
    this.cut = new MemoryCut(engine, codec, { entries: 1, awake: 1 });
    this.parts = this.cut.parts();
  }

  async proceed(count = this.progress.pop() ?? 0): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      const next = await this.parts?.next();
      if (next === undefined || next.done === true) return;
      this.made.push(next.value);
    }
  }

  async rest(): Promise<{ readonly offset: number; readonly parts: readonly ImagePart[] }> {
    await this.proceed(Number.POSITIVE_INFINITY);
    this.cut?.end();
    return { offset: this.offset, parts: this.made };
  }
}

async function partsOf(cut: MemoryCut): Promise<ImagePart[]> {
  const parts: ImagePart[] = [];
  for await (const part of cut.parts()) parts.push(part);
  cut.end();
  return parts;
}

/** What the indexes of durable events remember. */
async function durableOf(engine: Engine): Promise<unknown> {
  await engine.durable();
  await new Promise((resolve) => setImmediate(resolve));
  return engine.indexes.memories.map(({ name, store }) => {
    const index = store();
    const parts = [...index.parts()];
    index.end();
    return [name, parts];
  });
}

/** The keys of the maps that stand in the order of the journal. */
function ordersOf(engine: Engine): unknown {
  return memoriesOf(engine).map(({ name, inOrder = [] }) => [
    name,
    inOrder.map((map) => [...map.keys()]),
  ]);
}

/** All of a journal as it may be passed on. */
async function batchesOf(journal: Journal): Promise<BatchBytes[]> {
  const batches: BatchBytes[] = [];
  for await (const some of journal.batches(0, journal.highWatermark)) {
    batches.push(...some.map(({ content }) => content));
  }
  return batches;
}

/** Folds those from an offset on. */
async function fold(
  { engine, codec }: { readonly engine: Engine; readonly codec: EventCodec },
  batches: readonly BatchBytes[],
  from: number,
): Promise<void> {
  for (const batch of batches) {
    const envelopes: EventEnvelope[] = [];
    for (const record of recordsOf(batch)) {
      const envelope = codec.decode(record);
      if (envelope !== null && envelope.offset >= from) envelopes.push(envelope);
    }
    engine.replay(envelopes);
  }
}
