import fc from 'fast-check';
import { intersection, union } from '../../../storage/offsets/rising-offsets.js';

const rising = fc.array(fc.nat(30), { maxLength: 20 }).map((list) => list.sort((a, b) => a - b));
const distinct = (list: readonly number[]) => [...new Set(list)].sort((a, b) => a - b);

describe('lists of rising offsets', () => {
  it('have a union: the offsets in any of them, once', () => {
    fc.assert(
      fc.property(fc.array(rising, { maxLength: 4 }), (lists) => {
        expect(union(lists)).toEqual(distinct(lists.flat()));
      }),
    );
  });

  it('have an intersection: the offsets in every one of them', () => {
    fc.assert(
      fc.property(fc.array(rising.map(distinct), { minLength: 1, maxLength: 4 }), (lists) => {
        const expected = distinct(lists.flat()).filter((offset) =>
          lists.every((list) => list.includes(offset)),
        );
        expect(intersection(lists)).toEqual(expected);
      }),
    );
  });

  it('have an empty intersection if there are none', () => {
    expect(intersection([])).toEqual([]);
    expect(union([])).toEqual([]);
  });
});
