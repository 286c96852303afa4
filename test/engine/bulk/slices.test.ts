import { dispatchAll, dispatchAtOnce, dispatchFitting } from '../../../src/engine/bulk/slices.js';
import { accept, type Command, type Decider } from '../../../src/engine/decider.js';
import { Refusal } from '../../../src/grammar/result.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';

interface Filled {
  readonly type: 'Filled';
}
interface Fill extends Command {
  readonly type: 'Fill';
  readonly body: Buffer;
}

/** Every stream is filled once. */
const fillDecider: Decider<boolean, Fill, Filled> = {
  kind: 'fill',
  events: { Filled: [] },
  initialState: () => false,
  decide: ({ body }, isFull) =>
    isFull ? new Refusal('conflict', 'full already') : accept([{ type: 'Filled' }], null, body),
  evolve: () => true,
  wants: () => [],
  isFinal: () => false,
};

let opened: EngineOnDisk;
let streams = 0;

beforeAll(async () => {
  opened = await openEngine((engine) => {
    engine.register({ decider: fillDecider, view: null, folds: [] });
  });
});
afterAll(() => opened.close());

/** One append holds 32 MiB at most. */
const body = Buffer.alloc(9 * 1024 * 1024);
const fill = (id: string, bytes = body): Fill => ({
  type: 'Fill',
  kind: 'fill',
  id,
  at: 1_767_000_000_000,
  body: bytes,
});
const fills = (count: number) => Array.from({ length: count }, () => fill(`new ${streams++}`));
const areFull = (commands: readonly Fill[]) =>
  commands.map(({ id }) => opened.engine.actors('fill').has(id));

describe('commands whose events exceed one append', () => {
  it.each([
    ['each on its own', dispatchAll],
    [
      'in one tick',
      (engine: EngineOnDisk['engine'], commands: readonly Fill[]) =>
        dispatchAtOnce(engine, commands, false),
    ],
    [
      'together',
      (engine: EngineOnDisk['engine'], commands: readonly Fill[]) =>
        dispatchFitting(engine, commands, true, null),
    ],
  ] as const)('are split into several turns, %s', async (_how, dispatch) => {
    const commands = fills(5);
    const outcomes = await dispatch(opened.engine, commands);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    expect(areFull(commands)).toEqual([true, true, true, true, true]);
  });

  it('are not carried out after a refused one if they go together', async () => {
    const [first, ...others] = fills(5);
    if (first === undefined) throw new Error('there is none');
    await opened.engine.dispatch([first]);
    const all = [first, ...others];
    const outcomes = await dispatchFitting(opened.engine, all, true, null);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false, false, false]);
    expect(areFull(all)).toEqual([true, false, false, false, false]);
  });

  it('fail if a single one of them is too large', async () => {
    const one = fill(`new ${streams++}`, Buffer.alloc(33 * 1024 * 1024));
    await expect(dispatchFitting(opened.engine, [one], false, null)).rejects.toThrow('limit');
    expect(areFull([one])).toEqual([false]);
  });
});
