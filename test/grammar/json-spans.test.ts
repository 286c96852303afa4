import fc from 'fast-check';
import { textsIn } from '../../src/grammar/json-spans.js';

const composed = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => (value !== null && typeof value === 'object' ? value : [value]));

test('the texts within an object or array are those of its values', () => {
  fc.assert(
    fc.property(composed, fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const read = [...textsIn(` ${text}\n`)].map(([name, each]) => [name, JSON.parse(each)]);
      expect(Object.fromEntries(read)).toEqual({ ...JSON.parse(text) });
    }),
  );
});

test('they are as they came, and of the same name the last', () => {
  const text = '{ "a\\u0062": 1, "id" :9007199254740993 , "ab": [ 1.0, "}" ], "none": {} }';
  expect([...textsIn(text)]).toEqual([
    ['ab', '[ 1.0, "}" ]'],
    ['id', '9007199254740993'],
    ['none', '{}'],
  ]);
  expect([...textsIn(' [ ] ')]).toEqual([]);
});
