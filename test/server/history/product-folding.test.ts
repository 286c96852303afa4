import { Engine } from '../../../src/engine/engine.js';
import type { EventCodec } from '../../../src/engine/event-codec.js';
import { Journal } from '../../../src/engine/journal.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import { memoriesOf } from '../../../src/engine/snapshots/memories.js';
import { type ImagePart, MemoryCut } from '../../../src/engine/snapshots/memory-cut.js';
import {
  differingSections,
  digestOf,
  itemsOf,
} from '../../../src/engine/snapshots/state-digest.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import { sweepStretch } from '../../../src/server/history/journal-sweeps.module.js';
import {
  type ProductFolding,
  productFolding,
} from '../../../src/server/history/product-folding.js';
import { MemoryStart } from '../../../src/server/snapshots/memory-start.js';
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import { GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

function newFolding(sweepStretch: number | null = null): ProductFolding {
  return productFolding({ ...readConfiguration({}).config, sweepStretch });
}

/**
 * Every kind with the names of its indexes in order, and the names of indexes of durable events.
 */
function partsOf(engine: Engine) {
  const kinds = engine.kinds.map((kind) => {
    const folds = engine.actors(kind).folds.map(({ memory }) => memory?.name ?? null);
    return [kind, folds];
  });
  return {
    kinds: Object.fromEntries(kinds),
    indexes: engine.indexes.memories.map(({ name }) => name).sort(),
  };
}

const engineOf = ({ application }: TestServer) => application.nest.get(Engine, { strict: false });
const journalOf = ({ application }: TestServer) => application.nest.get(Journal, { strict: false });

/** The file sizes with which the golden folders were written. */
const small = { segmentBytes: 16 * 1024, reserveBytes: 0 };

/** Folds the events below `until`. */
async function foldedUntil(journal: Journal, until: number): Promise<ProductFolding> {
  const folding = newFolding(sweepStretch(readConfiguration({}).config, small));
  for await (const envelopes of journal.replay(0)) {
    const [first] = envelopes;
    if (first !== undefined && first.offset >= until) break;
    folding.engine.replay(envelopes);
  }
  return folding;
}

/** All of a memory, in parts. */
async function imageOf(engine: Engine, codec: EventCodec): Promise<readonly ImagePart[]> {
  const parts: ImagePart[] = [];
  const cut = new MemoryCut(engine, codec);
  for await (const part of cut.parts()) parts.push(part);
  cut.end();
  return parts;
}

/** The entries of an index of durable events. */
function storedOf(engine: Engine, name: string): unknown {
  const index = engine.indexes.memories.find((each) => each.name === name)?.store();
  const parts = [...(index?.parts() ?? [])];
  index?.end();
  return parts;
}

describe('the memory of a separate folding', () => {
  const versions = ['v4', 'v5', 'v7', 'v12', 'v14'];

  it.each(versions)(
    'has the same parts and digest as the server on a folder of %s',
    async (version) => {
      const folder = await GoldenFolder.open(version, small);
      await folder.unpack();
      const server = await folder.start(new ManualClock(writtenAt + 60_000));
      const [engine, journal] = [engineOf(server), journalOf(server)];
      await engine.durable();
      const live = digestOf(itemsOf(engine));
      const until = journal.endOffset;
      await engine.durable();
      const folded = await foldedUntil(journal, until);
      expect(partsOf(folded.engine)).toEqual(partsOf(engine));
      const aside = digestOf(itemsOf(folded.engine));
      expect(differingSections(aside, live)).toEqual([]);
      expect(aside).toEqual(live);
      expect(live.sections.length).toBeGreaterThan(1);
      for (const { name } of folded.engine.indexes.memories) {
        expect([name, storedOf(folded.engine, name)]).toEqual([name, storedOf(engine, name)]);
      }
      await server.stop();
      await folder.close();
    },
  );

  it.each(versions)('can be checked on a folder of %s from any offset', async (version) => {
    const folder = await GoldenFolder.open(version, small);
    await folder.unpack();
    const server = await folder.start(new ManualClock(writtenAt + 60_000));
    const journal = journalOf(server);
    await engineOf(server).durable();
    const until = journal.endOffset;
    const batches: BatchBytes[] = [];
    for await (const some of journal.batches(0, until)) {
      for (const { content } of some) batches.push(content);
    }
    const shapes = server.application.nest.get(MemoryStart, { strict: false }).codec;
    const later = await imageOf((await foldedUntil(journal, until)).engine, shapes);
    for (const share of [0.2, 0.5, 0.9]) {
      const place = Math.floor(batches.length * share);
      const { baseOffset = 0 } = batches[place] ?? {};
      const earlier = await imageOf((await foldedUntil(journal, baseOffset)).engine, shapes);
      const { engine, codec } = newFolding(sweepStretch(readConfiguration({}).config, small));
      const aside = new FoldingHere(engine, codec);
      await aside.touch(batches.slice(place));
      for (const part of earlier) await aside.take(part);
      await aside.fold(batches.slice(place));
      for (const part of later) await aside.compare(part);
      expect(await aside.differences()).toEqual([]);
    }
    await server.stop();
    await folder.close();
  });

  it('holds references across the edges of sweeps if the journal is swept', () => {
    const names = (stretch: number | null) =>
      memoriesOf(newFolding(stretch).engine).map(({ name }) => name);
    expect(names(16).sort()).toEqual([...names(null), 'crossings'].sort());
  });
});
