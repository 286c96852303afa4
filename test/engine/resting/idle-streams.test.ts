import fc from 'fast-check';
import { accept, type Command, type Decider, type Effect } from '../../../src/engine/decider.js';
import { Refusal } from '../../../src/grammar/result.js';
import { openEngine } from '../../support/engine.js';

/** A sum whose streams rest after they have been idle for long. */
type SumEvent = { type: 'Added'; amount: number } | { type: 'Closed' };
interface SumState {
  readonly total: number;
  readonly closed: boolean;
}
interface SumCommand extends Command {
  readonly type: 'Add' | 'Close' | 'Refuse' | 'Explode';
}

const wantsNothing: readonly Effect[] = [];

const sumDecider: Decider<SumState, SumCommand, SumEvent> = {
  kind: 'sum',
  events: { Added: [], Closed: [] },
  restsIdle: true,
  initialState: () => ({ total: 0, closed: false }),
  decide({ type }) {
    if (type === 'Explode') throw new Error('defect');
    if (type === 'Refuse') return new Refusal('invalid', 'refused');
    return accept([type === 'Add' ? { type: 'Added', amount: 1 } : { type: 'Closed' }]);
  },
  evolve: (state, event) =>
    event.type === 'Added'
      ? { ...state, total: state.total + event.amount }
      : { ...state, closed: true },
  wants: () => wantsNothing,
  isFinal: ({ closed }) => closed,
};

const commands = fc.array(
  fc.record({
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant('Add' as const) },
      { weight: 2, arbitrary: fc.constant('Close' as const) },
      { weight: 1, arbitrary: fc.constantFrom('Refuse' as const, 'Explode' as const) },
    ),
    id: fc.integer({ min: 0, max: 11 }).map(String),
  }),
  { minLength: 1, maxLength: 12 },
);

type Turn = readonly { readonly type: SumCommand['type']; readonly id: string }[];

/** Every stream after a turn, which is reverted if one of its commands fails. */
function after(before: ReadonlyMap<string, number>, turn: Turn): ReadonlyMap<string, number> {
  if (turn.some(({ type }) => type === 'Refuse' || type === 'Explode')) return before;
  const totals = new Map(before);
  for (const { type, id } of turn) {
    if (type === 'Close') totals.delete(id);
    else totals.set(id, (totals.get(id) ?? 0) + 1);
  }
  return totals;
}

describe('streams that rest when they are idle', () => {
  it('exist once each, unchanged, whatever turns touch and revert', async () => {
    // Fewer live states than one turn touches.
    const { engine, close } = await openEngine(
      (joining) => joining.register({ decider: sumDecider, view: undefined, folds: [] }),
      undefined,
      {},
      undefined,
      2,
    );
    const sums = engine.actors('sum');
    let round = 0;
    const check = async (turns: readonly { turn: Turn; isAwaited: boolean }[]) => {
      round += 1;
      let expected: ReadonlyMap<string, number> = new Map();
      for (const { turn, isAwaited } of turns) {
        const ran = engine
          .dispatchTogether(
            turn.map(({ type, id }) => ({ kind: 'sum', type, id: `${round}-${id}`, at: 1 })),
          )
          .catch(() => undefined);
        if (isAwaited) await ran;
        expected = after(expected, turn);
        const ids = [...sums.ids()].filter((id) => id.startsWith(`${round}-`)).sort();
        expect(ids).toEqual([...expected.keys()].map((id) => `${round}-${id}`).sort());
        for (const [id, total] of expected) {
          expect(sums.find(`${round}-${id}`)?.state).toEqual({ total, closed: false });
        }
      }
      await engine.durable();
      await new Promise((resolve) => setImmediate(resolve));
      expect([...sums.awakeIds()].length).toBeLessThanOrEqual(2);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ turn: commands, isAwaited: fc.boolean() }), { maxLength: 12 }),
        check,
      ),
      { numRuns: 60 },
    );
    await close();
  });
});
