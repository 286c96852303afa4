import { accept, type Command, type Decider } from '../../src/engine/decider.js';
import { openEngine } from '../support/engine.js';

interface Switched {
  readonly type: 'Switched';
  readonly isOn: boolean;
}
interface Switch extends Command {
  readonly type: 'Switch';
  readonly isOn: boolean;
}

/** A lamp that switches the lamp beside it on. */
const lampDecider: Decider<boolean, Switch, Switched> = {
  kind: 'lamp',
  events: { Switched: [] },
  initialState: () => false,
  decide: ({ isOn }) => accept([{ type: 'Switched', isOn }]),
  evolve: (_state, { isOn }) => isOn,
  react: ({ id, at, event }) =>
    event.isOn && !id.endsWith("'") ? [switched(`${id}'`, true, at)] : [],
  wants: (isOn) => (isOn ? [{ kind: 'shine', id: 'light', notBefore: 0 }] : []),
  isFinal: () => false,
};

const switched = (id: string, isOn: boolean, at = 1_767_000_000_000): Switch => ({
  type: 'Switch',
  kind: 'lamp',
  id,
  at,
  isOn,
});

async function openLamps(directory?: string) {
  const observed: string[] = [];
  const turns: string[][] = [];
  const opened = await openEngine((engine) => {
    engine.register({ decider: lampDecider, view: null, folds: [] });
    engine.observe(['lamp'], (envelopes) => observed.push(`listener: ${envelopes.length}`));
    engine.index(
      ['lamp'],
      (envelopes) => {
        observed.push(`index: ${envelopes.length}`);
        turns.push(envelopes.map(({ id }) => id));
      },
      null,
    );
    engine.carry('shine', {
      start: ({ id }) => {
        observed.push(`shines: ${id}`);
        return () => undefined;
      },
    });
  }, directory);
  return { ...opened, observed, turns };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('an index of durable events', () => {
  it('learns events once they are durable, and before anything follows from them', async () => {
    const { engine, observed, close } = await openLamps();
    const answer = engine.dispatch([switched('a', true)]);
    await settle();
    expect(observed).toEqual([]);
    await answer;
    await settle();
    expect(observed).toEqual(['index: 2', 'listener: 2', 'shines: a', "shines: a'"]);
    await close();
  });

  it('learns the past turn by turn before anything starts', async () => {
    const first = await openLamps();
    await first.engine.dispatch([switched('a', true), switched('b', false)]);
    await first.engine.dispatch([switched('c', true)]);
    await first.close();
    const second = await openLamps(first.directory);
    expect(second.turns.filter((ids) => ids.length > 0)).toEqual([
      ['a', 'b', "a'"],
      ['c', "c'"],
    ]);
    expect(second.observed.findIndex((line) => line.startsWith('shines'))).toBe(
      second.turns.length,
    );
    expect(second.observed.filter((line) => line.startsWith('listener'))).toEqual([]);
    await second.close();
  });
});
