import fc from 'fast-check';
import { ByteBudget } from '../../../src/http/bytes/byte-budget.js';

/** Takes bytes or waits; the names of granted claims are added to `granted`, in order. */
function claimer(budget: ByteBudget) {
  const granted: string[] = [];
  return {
    granted,
    want(name: string, owner: string, bytes: number): () => void {
      if (!budget.take(owner, bytes)) return budget.claim(owner, bytes, () => granted.push(name));
      granted.push(name);
      return () => undefined;
    },
  };
}

describe('a byte budget', () => {
  it('gives one owner at most half, and all owners together at most the limit', () => {
    const budget = new ByteBudget(100);
    expect(budget.take('a', 50)).toBe(true);
    expect(budget.take('a', 1)).toBe(false);
    expect(budget.take('b', 30)).toBe(true);
    expect(budget.take('c', 30)).toBe(false);
    expect(budget.take('c', 20)).toBe(true);
    expect([budget.used, budget.usedBy('a'), budget.usedBy('c')]).toEqual([100, 50, 20]);
    budget.give('a', 50);
    expect([budget.used, budget.usedBy('a')]).toEqual([50, 0]);
  });

  it('grants in order of arrival, but skips an owner at its own limit', () => {
    const budget = new ByteBudget(100);
    const { granted, want } = claimer(budget);
    want('a1', 'a', 50);
    want('a2', 'a', 10);
    want('a3', 'a', 10);
    want('b1', 'b', 10);
    expect(granted).toEqual(['a1', 'b1']);
    budget.give('a', 50);
    expect(granted).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('lets no later claim overtake one that waits for bytes of others', () => {
    const budget = new ByteBudget(100);
    const { granted, want } = claimer(budget);
    want('a', 'a', 50);
    want('b', 'b', 30);
    want('large', 'c', 40);
    want('small', 'd', 1);
    expect(granted).toEqual(['a', 'b']);
    budget.give('b', 30);
    expect(granted).toEqual(['a', 'b', 'large', 'small']);
  });

  it('lets claims continue that waited behind a canceled one', () => {
    const budget = new ByteBudget(100);
    const { granted, want } = claimer(budget);
    want('a', 'a', 50);
    want('b', 'b', 30);
    const cancel = want('large', 'c', 40);
    want('small', 'd', 1);
    cancel();
    cancel();
    expect(granted).toEqual(['a', 'b', 'small']);
    expect([budget.used, budget.waiting]).toEqual([81, 0]);
  });

  it('refuses the release of more than was taken', () => {
    const budget = new ByteBudget(100);
    budget.take('a', 10);
    expect(() => budget.give('a', 11)).toThrow('more bytes were given back');
  });

  const owners = ['a', 'b', 'c'];
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('want' as const, 'want' as const, 'give' as const, 'cancel' as const),
      owner: fc.constantFrom(...owners),
      bytes: fc.integer({ min: 1, max: 60 }),
      which: fc.nat(20),
    }),
    { maxLength: 60 },
  );

  it('is never exceeded, forgets no claim, and ends empty', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const budget = new ByteBudget(120);
        const held: { owner: string; bytes: number }[] = [];
        const cancels: (() => void)[] = [];
        const claimed = new Map<string, number[]>();
        const got = new Map<string, number[]>();
        let number = 0;
        const settled = () => {
          expect(budget.used).toBeLessThanOrEqual(120);
          for (const owner of owners) {
            const own = held.filter((each) => each.owner === owner);
            expect(budget.usedBy(owner)).toBe(own.reduce((sum, { bytes }) => sum + bytes, 0));
            expect(budget.usedBy(owner)).toBeLessThanOrEqual(60);
            // First come, first served, whatever else waits.
            const order = (claimed.get(owner) ?? []).filter((each) =>
              got.get(owner)?.includes(each),
            );
            expect(got.get(owner) ?? []).toEqual(order);
          }
        };
        for (const { what, owner, bytes, which } of all) {
          if (what === 'want') {
            number += 1;
            const own = number;
            claimed.set(owner, [...(claimed.get(owner) ?? []), own]);
            const granted = () => {
              held.push({ owner, bytes });
              got.set(owner, [...(got.get(owner) ?? []), own]);
            };
            if (budget.take(owner, bytes)) granted();
            else cancels.push(budget.claim(owner, bytes, granted));
          } else if (what === 'give') {
            const [mine] = held.splice(which % Math.max(1, held.length), 1);
            if (mine !== undefined) budget.give(mine.owner, mine.bytes);
          } else cancels.splice(which % Math.max(1, cancels.length), 1)[0]?.();
          settled();
        }
        while (held.length > 0) {
          const mine = held.pop();
          if (mine !== undefined) budget.give(mine.owner, mine.bytes);
          settled();
        }
        // Every claim that fits its owner's share was granted in the end.
        expect([budget.used, budget.waiting]).toEqual([0, 0]);
      }),
    );
  });
});
