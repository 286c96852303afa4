import { accept, type Command, type Decider } from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import { Entity } from '../../src/engine/entity.js';
import { Refusal } from '../../src/grammar/result.js';
import { type EngineOnDisk, openEngine } from '../support/engine.js';

interface Add extends Command<{ readonly total: number }> {
  readonly type: 'Add';
  readonly amount: number;
}
interface Added {
  readonly type: 'Added';
  readonly amount: number;
}

const tallyDecider: Decider<number, Add, Added, null> = {
  kind: 'tally',
  events: { Added: [] },
  initialState: () => 0,
  decide: ({ amount }, state) =>
    amount < 0
      ? new Refusal('invalid', 'only upwards')
      : accept([{ type: 'Added', amount }], { total: state + amount }),
  evolve: (state, { amount }) => state + amount,
  wants: () => [],
  isFinal: (state) => state >= 100,
};

class Tallies extends Entity<number, Add, Added> {
  constructor(engine: Engine) {
    super(engine, { decider: tallyDecider, view: null, folds: [] });
  }
}

const add = (id: string, amount: number): Add => ({
  type: 'Add',
  kind: 'tally',
  id,
  at: 1,
  amount,
});

let opened: EngineOnDisk;
let tallies: Tallies;
let seen: string[];
let learned: string[];

beforeEach(async () => {
  seen = [];
  learned = [];
  opened = await openEngine((engine) => {
    tallies = new Tallies(engine);
    tallies.observe((envelopes) => {
      seen.push(...envelopes.map(({ id, event: { amount } }) => `${id} ${amount}`));
    });
    tallies.index((envelopes) => {
      learned.push(...envelopes.map(({ id, event: { amount } }) => `${id} ${amount}`));
    }, null);
    tallies.reactTo(({ id, at, event: { amount } }) =>
      amount === 7 ? [{ ...add(`${id}'`, 1), at }] : [],
    );
  });
});
afterEach(() => opened.close());

describe('an entity', () => {
  it('answers the result of an accepted command', async () => {
    await tallies.ask(add('a', 2));
    expect(await tallies.ask(add('a', 3))).toMatchObject({ ok: true, value: { total: 5 } });
  });

  it('answers why a command was refused, and changes nothing', async () => {
    expect(await tallies.ask(add('a', -1))).toEqual({
      ok: false,
      code: 'invalid',
      message: 'only upwards',
    });
    expect(tallies.has('a')).toBe(false);
  });

  it('finds streams that exist, and returns the initial state of others', async () => {
    await tallies.ask(add('a', 2));
    expect(tallies.find('a')?.state).toBe(2);
    expect(tallies.find('b')).toBeUndefined();
    expect(tallies.stateOf('b')).toBe(0);
    expect(tallies.size).toBe(1);
    await tallies.ask(add('a', 98));
    expect(tallies.find('a')).toBeUndefined();
  });

  it('shows what it read only once that is durable', async () => {
    const { engine, journal } = opened;
    const added = engine.dispatch([add('a', 2)]);
    expect(journal.highWatermark).toBeLessThan(journal.endOffset);
    expect(await tallies.shown(() => tallies.stateOf('a'))).toBe(2);
    expect(journal.highWatermark).toBe(journal.endOffset);
    await added;
  });

  it('is followed by indexes, listeners and reactions of features above it', async () => {
    await tallies.ask(add('a', 7));
    await new Promise((resolve) => setImmediate(resolve));
    expect(learned).toEqual(['a 7', "a' 1"]);
    expect(seen).toEqual(learned);
  });
});
