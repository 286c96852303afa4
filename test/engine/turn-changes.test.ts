import fc from 'fast-check';
import { TurnChanges } from '../../src/engine/turn-changes.js';

const change = fc.record({
  map: fc.constantFrom(0, 1),
  key: fc.integer({ min: 0, max: 5 }),
  value: fc.option(fc.integer(), { nil: null }),
});

const apply = (
  changes: TurnChanges,
  maps: Map<number, number>[],
  plan: readonly { map: number; key: number; value: number | null }[],
) => {
  for (const { map, key, value } of plan) {
    const target = maps[map] as Map<number, number>;
    if (value === null) changes.delete(target, key);
    else changes.set(target, key, value);
  }
};

const shown = (maps: Map<number, number>[]) =>
  maps.map((map) => [...map].sort(([left], [right]) => left - right));

describe('the changes of a turn', () => {
  it('are reverted as if they had never been made', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (before, during) => {
        const changes = new TurnChanges();
        const maps = [new Map<number, number>(), new Map<number, number>()];
        apply(changes, maps, before);
        changes.keep();
        const kept = shown(maps);
        apply(changes, maps, during);
        changes.revert();
        expect(shown(maps)).toEqual(kept);
      }),
    );
  });

  it('leave maps of offsets in order when they are reverted', () => {
    const step = fc.record({ key: fc.integer({ min: 0, max: 9 }), isSet: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), fc.array(step), (before, during) => {
        const changes = new TurnChanges();
        const map = new Map<number, { readonly offset: number }>();
        let offset = 0;
        const applySteps = (steps: typeof before) => {
          for (const { key, isSet } of steps) {
            changes.deleteInOrder(map, key);
            offset += 1;
            if (isSet) changes.set(map, key, { offset });
          }
        };
        applySteps(before);
        changes.keep();
        const kept = [...map];
        applySteps(during);
        changes.revert();
        expect([...map]).toEqual(kept);
      }),
    );
  });

  it('stay once they are kept', () => {
    const changes = new TurnChanges();
    const map = new Map([['a', 1]]);
    changes.set(map, 'a', 2);
    changes.keep();
    changes.revert();
    expect(map.get('a')).toBe(2);
  });
});
