import { Engine } from '../../../src/engine/engine.js';
import { Journal } from '../../../src/engine/journal.js';
import { memoriesOf } from '../../../src/engine/snapshots/memories.js';
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

describe('the memory of a folding aside', () => {
  const versions = ['v4', 'v5', 'v7'];

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

  it('knows what crosses the edges of sweeps where the journal is swept', () => {
    const names = (stretch: number | null) =>
      memoriesOf(newFolding(stretch).engine).map(({ name }) => name);
    expect(names(16).sort()).toEqual([...names(null), 'crossings'].sort());
  });
});
