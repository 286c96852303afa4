import fc from 'fast-check';
import { indented } from '../../../src/console/web/bodies/indented.ts';

it('indented JSON is the same as the output of JSON.stringify for the same values', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 3, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const isList = typeof value === 'object' && value !== null;
      expect(indented(text)).toBe(isList ? JSON.stringify(value, null, 2) : null);
    }),
  );
});

it('indented JSON keeps numbers, names and escapes as they were written', () => {
  const text = '{"id":12345678901234567890,"a":1.0,"a":1e400,"__proto__":[ ],"t":"\\u00e9,{\\"}"}';
  const written = [
    '{',
    '  "id": 12345678901234567890,',
    '  "a": 1.0,',
    '  "a": 1e400,',
    '  "__proto__": [],',
    '  "t": "\\u00e9,{\\"}"',
    '}',
  ];
  expect(indented(text)).toBe(written.join('\n'));
});

it.each([
  ['no JSON', '{"a":}'],
  ['words', 'hello'],
  ['a number', '12345678901234567890'],
  ['deeper than its lines could be read', `${'['.repeat(5000)}${']'.repeat(5000)}`],
])('the indentation leaves text alone that is %s', (_, text) => {
  expect(indented(text)).toBeNull();
});
