import fc from 'fast-check';
import { jsonDepthMax, parseJson } from '../../src/grammar/json.js';

const read = (text: string) => parseJson(Buffer.from(text));

test('a value that is written as JSON reads back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value);
      expect(read(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
});

test('nesting is allowed up to the limit and not beyond', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(read(nested(jsonDepthMax)).ok).toBe(true);
  expect(read(nested(jsonDepthMax + 1))).toMatchObject({
    ok: false,
    message: 'the body is nested deeper than 64 levels',
  });
  expect(read('{"a":'.repeat(jsonDepthMax + 1)).ok).toBe(false);
  expect(read('['.repeat(1_000_000)).ok).toBe(false);
});

test('brackets within strings are text', () => {
  const text = JSON.stringify({ a: `${'['.repeat(100)}"\\${'{'.repeat(100)}` });
  expect(read(text).ok).toBe(true);
});

test('the end of a string is found, whatever is escaped in it and however long it is', () => {
  const hostile = fc.string({ unit: fc.constantFrom('"', '\\', '[', '}', 'a'), maxLength: 400 });
  const tooDeep = `${'['.repeat(jsonDepthMax)}1${']'.repeat(jsonDepthMax)}`;
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), (texts) => {
      const written = texts.map((text) => JSON.stringify(text)).join(',');
      expect(read(`[${written}]`)).toEqual({ ok: true, value: texts });
      expect(read(`[${written},${tooDeep}]`)).toMatchObject({
        message: `the body is nested deeper than ${jsonDepthMax} levels`,
      });
    }),
  );
});

test.each([
  ['nothing', ''],
  ['half a value', '{"a":'],
  ['two values', '1 2'],
  ['a comma at the end', '[1,]'],
  ['a byte order mark', '\ufeff{}'],
  ['a number beyond JSON', 'NaN'],
  ['a NUL', '\0'],
])('%s is refused', (_what, text) => {
  expect(read(text).ok).toBe(false);
});

test('broken UTF-8 is refused', () => {
  expect(parseJson(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({
    ok: false,
    message: 'the body is not valid UTF-8',
  });
});

test('a member named __proto__ changes no prototype', () => {
  const result = read('{"__proto__": {"isAdmin": true}}');
  expect(result.ok && Object.getPrototypeOf(result.value)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});
