import fc from 'fast-check';
import { bytesOf } from '../../../src/engine/resting/stored-form.js';
import {
  DigestSum,
  differenceOf,
  differingSections,
  digestOf,
  entryItems,
  type MemoryItem,
} from '../../../src/engine/snapshots/state-digest.js';

const item = (section: string, key: string, value: unknown, place = ''): MemoryItem => ({
  section,
  key,
  place,
  bytes: bytesOf(value),
});

const anyItem = fc
  .record({
    section: fc.constantFrom('message', 'run', 'waiters.waiters'),
    key: fc.string(),
    place: fc.constantFrom('', '1 5 5', '2 5 9'),
    value: fc.jsonValue(),
  })
  .map(({ section, key, value, place }) => item(section, key, value, place));
const anyItems = fc.uniqueArray(anyItem, { selector: ({ section, key }) => `${section} ${key}` });

describe('a digest of memory', () => {
  it('is the same in whatever order the items come', () => {
    fc.assert(
      fc.property(anyItems, fc.infiniteStream(fc.nat()), (items, ranks) => {
        const shuffled = items
          .map((each) => ({ each, rank: ranks.next().value }))
          .sort((one, other) => one.rank - other.rank)
          .map(({ each }) => each);
        expect(digestOf(shuffled)).toEqual(digestOf(items));
      }),
    );
  });

  it('differs if one item differs, and names its section', () => {
    fc.assert(
      fc.property(anyItems, anyItem, (items, other) => {
        const others = items.filter(
          ({ section, key }) => section !== other.section || key !== other.key,
        );
        const [without, having] = [digestOf(others), digestOf([...others, other])];
        expect(having.hex).not.toBe(without.hex);
        expect(differingSections(having, without)).toEqual([other.section]);
        const changed = digestOf([...others, { ...other, place: '7 7 7' }]);
        expect(differingSections(having, changed)).toEqual([other.section]);
      }),
    );
  });

  it('counts the items of each section that has any', () => {
    const sum = new DigestSum();
    expect(sum.digest().sections).toEqual([]);
    for (const key of ['a', 'b']) sum.add(item('run', key, null));
    sum.add(item('message', 'a', null));
    expect(sum.digest().sections.map(({ section, items }) => [section, items])).toEqual([
      ['message', 1],
      ['run', 2],
    ]);
  });

  it('does not depend on the order of a map within a map', () => {
    const forth = new Map([...'ab'].map((key) => [key, { key }]));
    const back = new Map([...'ba'].map((key) => [key, { key }]));
    const digest = (value: unknown) => digestOf(entryItems('waiters.waiters', 'paid', value));
    expect(digest(forth)).toEqual(digest(back));
    expect(digest(forth).sections[0]?.items).toBe(2);
  });
});

describe('a difference of two items', () => {
  const between = (one: unknown, other: unknown) =>
    differenceOf(item('run', 'a', one), item('run', 'a', other));

  it('is named by the field', () => {
    expect(between({ a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 3 }] })).toEqual({
      field: 'b.1.c',
      one: 2,
      other: 3,
    });
    expect(between(new Map([['x', 1]]), new Map())).toEqual({
      field: 'x',
      one: 1,
      other: undefined,
    });
    expect(between(1, 'a')).toEqual({ field: '', one: 1, other: 'a' });
  });

  it('does not exist if only the order of fields differs', () => {
    expect(between({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeNull();
    expect(between({ a: 1 }, { a: 1 })).toBeNull();
  });

  it('may be their place in the journal', () => {
    expect(differenceOf(item('run', 'a', 1, '1 2 3'), item('run', 'a', 1, '2 2 4'))).toEqual({
      field: 'place',
      one: '1 2 3',
      other: '2 2 4',
    });
  });
});
