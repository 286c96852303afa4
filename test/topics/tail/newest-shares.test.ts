import fc from 'fast-check';
import { newestShares } from '../../../src/topics/tail/newest-shares.js';

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

it('what a partition lacks is supplied by others', () => {
  expect(newestShares([0, 23, 17], 50)).toEqual([0, 23, 17]);
  expect(newestShares([0, 23, 17], 30)).toEqual([0, 15, 15]);
  expect(newestShares([100, 2, 100], 50)).toEqual([24, 2, 24]);
  expect(newestShares([100, 100, 100], 1)).toEqual([0, 0, 1]);
  expect(newestShares([100], 0)).toEqual([0]);
});

it('shares add up to the requested number or to all records, divided equally', () => {
  const sizes = fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.nat(10_000), (each, newest) => {
      const shares = newestShares(each, newest);
      expect(sum(shares)).toBe(Math.min(newest, sum(each)));
      const most = Math.max(...shares);
      for (const [index, share] of shares.entries()) {
        expect(share).toBeLessThanOrEqual(each[index] ?? 0);
        // A partition that gives less than another gives all it has, except for the remainder of
        // the division.
        if (share < most - 1) expect(share).toBe(each[index]);
      }
    }),
  );
});
