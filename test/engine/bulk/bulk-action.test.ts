import fc from 'fast-check';
import { dispatchMany } from '../../../src/engine/bulk/bulk-action.js';
import { type Clock, systemClock } from '../../../src/engine/clock.js';
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
  events: { Marked: [] },
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
    /** For each fresh command, how often it is requested. */
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
      const accepted = await dispatchMany(engine, systemClock, marks(ids), count);
      expect(accepted).toBe(Math.min(fresh, count));
      const events = [];
      for await (const envelopes of journal.replay(before)) events.push(...envelopes);
      expect(events.length).toBe(accepted);
      expect(journal.highWatermark).toBe(journal.endOffset);
    }),
    { numRuns: 20 },
  );
});

/** Each look at the clock comes a while after the one before; a timer ends in the next tick. */
class SteppingClock implements Clock {
  readonly delays: number[] = [];
  private time = 0;

  constructor(private readonly stepMs: number) {}

  now(): number {
    return at;
  }

  monotonic(): number {
    this.time += this.stepMs;
    return this.time;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.delays.push(delayMs);
    setImmediate(callback);
    return () => undefined;
  }
}

const fresh = (count: number) => {
  runs += 1;
  return marks(Array.from({ length: count }, (_, index) => `${runs}-${index}`));
};

it('a bulk action pauses for twice as long as it has worked for a turn', async () => {
  const clock = new SteppingClock(1);
  await dispatchMany(opened.engine, clock, fresh(1000), Number.POSITIVE_INFINITY);
  // The clock is read three times: before and after the turn, and at the pause.
  expect(clock.delays).toEqual([6, 6, 6]);
});

it('a bulk action shortens turns that take long', async () => {
  const clock = new SteppingClock(4);
  const taken: number[] = [];
  function* counted() {
    for (const command of fresh(520)) {
      const { length: turn } = clock.delays;
      taken[turn] = (taken[turn] ?? 0) + 1;
      yield command;
    }
  }
  await dispatchMany(opened.engine, clock, counted(), Number.POSITIVE_INFINITY);
  expect(taken).toEqual([256, 128, 64, 32, 16, 8, 8, 8]);
});
