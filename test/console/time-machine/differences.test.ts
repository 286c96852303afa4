import { differencesOf } from '../../../src/console/web/time-machine/differences.ts';

it('the differences of two states are changed, new and removed values, by path', () => {
  const before = { state: 'waiting', limits: [1, 2], gone: true, same: { deep: 'x' } };
  const after = { state: 'active', limits: [1, 3, 4], same: { deep: 'x' }, attempt: { number: 1 } };
  expect(differencesOf(before, after)).toEqual([
    { path: 'attempt.number', before: null, after: '1' },
    { path: 'gone', before: 'true', after: null },
    { path: 'limits[1]', before: '2', after: '3' },
    { path: 'limits[2]', before: null, after: '4' },
    { path: 'state', before: '"waiting"', after: '"active"' },
  ]);
});

it('the differences of two states distinguish null, absent and empty', () => {
  expect(differencesOf({ a: null, b: {} }, { b: [] })).toEqual([
    { path: 'a', before: 'null', after: null },
    { path: 'b', before: '{}', after: '[]' },
  ]);
});

it('the differences of two states are at most 500', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, index]));
  expect(differencesOf(null, many)).toHaveLength(500);
});
