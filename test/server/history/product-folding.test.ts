import { Engine } from '../../../src/engine/engine.js';
import { Journal } from '../../../src/engine/journal.js';
import { FoldingHere } from '../../../src/engine/snapshots/folding-aside.js';
import { memoriesOf } from '../../../src/engine/snapshots/memories.js';
import {
  hasStreams,
  type ImagePart,
  ImageReader,
} from '../../../src/engine/snapshots/memory-image.js';
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
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import { GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

function newFolding(sweepStretch: number | null = null): ProductFolding {
  return productFolding({ ...readConfiguration({}).config, sweepStretch });
}

/** Every kind with the names of its indexes in their order, and those of durable events. */
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

/** Those with which the golden folders were written. */
const small = { segmentBytes: 16 * 1024, reserveBytes: 0 };

/** Folds what lies below `until`. */
async function foldedUntil(journal: Journal, until: number): Promise<ProductFolding> {
  const folding = newFolding(sweepStretch(readConfiguration({}).config, small));
  for await (const envelopes of journal.replay(0)) {
    const [first] = envelopes;
    if (first !== undefined && first.offset >= until) break;
    folding.engine.replay(envelopes);
  }
  return folding;
}

/**
 * The image of what lies below `until`, made of `batchesAtOnce` batches at a time: each folding
 * holds the streams that these change, and no other.
 */
async function imageInPortions(
  journal: Journal,
  until: number,
  batchesAtOnce: number,
): Promise<readonly ImagePart[]> {
  const batches: BatchBytes[] = [];
  for await (const some of journal.batches(0, until)) {
    for (const { content } of some) batches.push(content);
  }
  let image: ImagePart[] = [];
  for (let at = 0; at < batches.length; at += batchesAtOnce) {
    const portion = batches.slice(at, at + batchesAtOnce);
    const { engine, codec } = newFolding(sweepStretch(readConfiguration({}).config, small));
    const aside = new FoldingHere(engine, codec);
    await aside.touch(portion);
    for (const part of image) await aside.take(part);
    await aside.fold(portion);
    const merged: ImagePart[] = [];
    for (const part of image) if (hasStreams(part)) merged.push(await aside.merge(part));
    image = [...merged, ...aside.image()];
  }
  return image;
}

describe('the memory of a folding aside', () => {
  const versions = ['v4', 'v5', 'v7', 'v12', 'v14'];

  it.each(versions)(
    'has the parts and the digest of the server on a folder of %s',
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
      for (const { name, store } of folded.engine.indexes.memories) {
        const own = engine.indexes.memories.find((each) => each.name === name);
        expect({ name, stored: store() }).toEqual({ name, stored: own?.store() });
      }
      await server.stop();
      await folder.close();
    },
  );

  it.each(versions)('is the same where a folder of %s is folded in portions', async (version) => {
    const folder = await GoldenFolder.open(version, small);
    await folder.unpack();
    const server = await folder.start(new ManualClock(writtenAt + 60_000));
    const journal = journalOf(server);
    await engineOf(server).durable();
    const until = journal.endOffset;
    const whole = await foldedUntil(journal, until);
    for (const batchesAtOnce of [1, 7]) {
      const { engine, codec } = newFolding(sweepStretch(readConfiguration({}).config, small));
      const reader = new ImageReader(engine, codec);
      const image = await imageInPortions(journal, until, batchesAtOnce);
      for (const part of image) reader.take(part);
      expect(digestOf(itemsOf(engine))).toEqual(digestOf(itemsOf(whole.engine)));
      for (const { name, store } of engine.indexes.memories) {
        const own = whole.engine.indexes.memories.find((each) => each.name === name);
        expect({ name, stored: store() }).toEqual({ name, stored: own?.store() });
      }
    }
    await server.stop();
    await folder.close();
  });

  it('knows what crosses the edges of sweeps where the journal is swept', () => {
    const names = (stretch: number | null) =>
      memoriesOf(newFolding(stretch).engine).map(({ name }) => name);
    expect(names(16).sort()).toEqual([...names(null), 'crossings'].sort());
  });
});
