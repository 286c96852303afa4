import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { settingLine } from '../../../src/cli/server/env.command.js';

/** Characters of passwords and tokens, and characters with a meaning in a settings file. */
const value = fc
  .array(fc.constantFrom('a', '7', '#', '$', '$A', '{', '}', '\\', '"', "'", '=', ' '), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

it('a dotenv line keeps any value', () => {
  fc.assert(
    fc.property(value, (given) => {
      expect(parseEnv(settingLine('dotenv', 'NAME', given))).toEqual({ NAME: given });
    }),
    { numRuns: 200 },
  );
});

it('a line for Next.js expands no variable', () => {
  expect(settingLine('next', 'NAME', 'a$b#c')).toBe(String.raw`NAME="a\$b#c"`);
  expect(settingLine('next', 'NAME', 'a"b')).toBe(`NAME='a"b'`);
});

it('a value with all kinds of quotes is refused if no line can hold it', () => {
  expect(() => settingLine('dotenv', 'NAME', `'"\``)).toThrow('use --for shell');
  expect(settingLine('shell', 'NAME', `'"\``)).toBe(`export NAME=''\\''"\`'`);
});
