import fc from 'fast-check';
import { worthASweep } from '../../../src/engine/history/sweep-worth.js';

const sizes = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 1, max: 2 ** 40 }))
  .map(([others, seen]) => ({ all: others + seen, seen }));

describe('when a sweep is worth it', () => {
  it('lets what may go fill no more than a tenth of what there is', () => {
    fc.assert(
      fc.property(sizes, ({ all, seen }) => {
        expect(worthASweep(all, seen)).toBeLessThanOrEqual(all / 10);
      }),
    );
  });

  it('reads no byte that was kept more than ten times for one that was written', () => {
    fc.assert(
      fc.property(sizes, ({ all, seen }) => {
        expect(seen).toBeLessThanOrEqual(worthASweep(all, seen) * 10.001);
      }),
    );
  });

  it('reads again twice as much as was written where little was kept', () => {
    expect(worthASweep(1000, 10)).toBe(5);
  });
});
