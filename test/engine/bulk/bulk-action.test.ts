import fc from 'fast-check';
import { dispatchMany } from '../../../src/engine/bulk/bulk-action.js';
import { accept, type Command, type Decider } from '../../../src/engine/decider.js';
import { Refusal } from '../../../src/grammar/result.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';

interface Marked {
  readonly type: 'Marked';
}
interface Mark extends Command {
  readonly type: 'Mark';
}

/** Every stream can be marked once. */
const markDecider: Decider<boolean, Mark, Marked> = {
  kind: 'mark',
  initialState: () => false,
  decide: (_command, isMarked) =>
    isMarked ? new Refusal('conflict', 'marked already') : accept([{ type: 'Marked' }]),
  evolve: () => true,
  wants: () => [],
  isFinal: () => false,
};

const at = 1_767_000_000_000;
const marks = (ids: readonly string[]) =>
  ids.map((id): Mark => ({ type: 'Mark', kind: 'mark', id, at }));

let opened: EngineOnDisk;
let runs = 0;

beforeAll(async () => {
  opened = await openEngine((engine) => {
    engine.register({ decider: markDecider, view: null, folds: [] });
  });
});
afterAll(() => opened.close());

it('a bulk action accepts as many commands as it may, and never more', async () => {
  const given = {
    fresh: fc.nat({ max: 1500 }),
    /** Of each fresh one, how often it is asked for. */
    repeats: fc.integer({ min: 1, max: 3 }),
    count: fc.option(fc.integer({ min: 1, max: 1200 }), { nil: Number.POSITIVE_INFINITY }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(given), async ({ fresh, repeats, count }) => {
      runs += 1;
      const ids = Array.from({ length: fresh * repeats }, (_, index) => {
        return `${runs}-${Math.floor(index / repeats)}`;
      });
      const { engine, journal } = opened;
      const before = journal.endOffset;
      const accepted = await dispatchMany(engine, marks(ids), count);
      expect(accepted).toBe(Math.min(fresh, count));
      const events = [];
      for await (const envelopes of journal.replay(before)) events.push(...envelopes);
      expect(events.length).toBe(accepted);
      expect(journal.highWatermark).toBe(journal.endOffset);
    }),
    { numRuns: 20 },
  );
});
