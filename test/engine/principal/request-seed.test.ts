import {
  accept,
  type Command,
  type Decider,
  type DomainEvent,
} from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { newNames, systemIdentifiers } from '../../../src/engine/identifiers.js';
import { Caller } from '../../../src/engine/principal/principal.js';
import { RequestSeed } from '../../../src/engine/principal/request-seed.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';

interface Made extends DomainEvent {
  readonly type: 'Made';
}

/** The first thing made makes one more, whose name comes from the turn. */
const decider: Decider<number, Command, Made> = {
  kind: 'thing',
  events: { Made: [] },
  initialState: () => 0,
  decide: () => accept([{ type: 'Made' }], null),
  evolve: (count) => count + 1,
  react: ({ id, at }, _, names) => (id === 'first' ? [make(names.next('thing'), at)] : []),
  wants: () => [],
  isFinal: () => false,
};

function make(id: string, at = 0): Command {
  return { type: 'Make', kind: 'thing', id, at };
}

let opened: EngineOnDisk;

beforeEach(async () => {
  opened = await openEngine((engine: Engine) => {
    engine.register({ decider, view: null, folds: [] });
  });
});
afterEach(() => opened.close());

const callerOf = (seed: RequestSeed) => new Caller('env:1', '203.0.113.7', 'r1', seed);

async function idsOf(seed: RequestSeed): Promise<string[]> {
  const { journal } = opened;
  const range = { from: 0, until: journal.highWatermark, order: 'oldest' as const };
  const ids: string[] = [];
  for await (const { id } of journal.query({ ...range, terms: [[seed.term]] })) ids.push(id);
  return ids;
}

describe('the seed of a request', () => {
  it('names what its first turn creates, and finds all events of its turns', async () => {
    const seed = new RequestSeed('0123456789ABCDEFGHJKMNP');
    await opened.engine.dispatch([make('first')], callerOf(seed));
    await opened.engine.dispatch([make('second')], callerOf(seed));
    await opened.engine.dispatch([make('other')]);
    expect(await idsOf(seed)).toEqual(['first', 'thing_0123456789ABCDEFGHJKMNP1', 'second']);
    expect(await idsOf(new RequestSeed('0123456789ABCDEFGHJKMNQ'))).toEqual([]);
  });

  it('is used for one set of names only', () => {
    const seed = new RequestSeed('0123456789ABCDEFGHJKMNP');
    const [one, other] = [0, 0].map((at) => newNames(systemIdentifiers, at, seed).next('msg'));
    expect(one).toBe('msg_0123456789ABCDEFGHJKMNP1');
    expect(other).toMatch(/^msg_[0-9A-Z]{23}1$/);
    expect(other).not.toBe(one);
  });

  it('prevents further decisions for a request that came again', async () => {
    const seed = new RequestSeed('0123456789ABCDEFGHJKMNP');
    seed.supersede();
    const outcomes = await opened.engine.dispatch([make('first'), make('second')], callerOf(seed));
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
    expect(opened.journal.endOffset).toBe(0);
  });
});
