import fc from 'fast-check';
import { worthASweep } from '../../../src/engine/history/sweep-worth.js';

const sizes = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 1, max: 2 ** 40 }))
  .map(([others, seen]) => ({ all: others + seen, seen }));

describe('the rule for when a sweep is worth it', () => {
  it('lets removable events fill no more than a tenth of the journal', () => {
    fc.assert(
      fc.property(sizes, ({ all, seen }) => {
        expect(worthASweep(all, seen)).toBeLessThanOrEqual(all / 10);
      }),
    );
  });

  it('reads at most ten kept bytes again for each byte that was written', () => {
    fc.assert(
      fc.property(sizes, ({ all, seen }) => {
        expect(seen).toBeLessThanOrEqual(worthASweep(all, seen) * 10.001);
      }),
    );
  });

  it('reads twice as many bytes again as were written if little was kept', () => {
    expect(worthASweep(1000, 10)).toBe(5);
  });
});
