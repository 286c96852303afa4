import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { settingLine } from '../../../src/cli/server/env.command.js';

/** What passwords and tokens are made of, and what means something in a file of settings. */
const value = fc
  .array(fc.constantFrom('a', '7', '#', '$', '$A', '{', '}', '\\', '"', "'", '=', ' '), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

it('a dotenv line has the value, whatever is in it', () => {
  fc.assert(
    fc.property(value, (given) => {
      expect(parseEnv(settingLine('dotenv', 'NAME', given))).toEqual({ NAME: given });
    }),
    { numRuns: 200 },
  );
});

it('a line for Next.js puts no variable in', () => {
  expect(settingLine('next', 'NAME', 'a$b#c')).toBe(String.raw`NAME="a\$b#c"`);
  expect(settingLine('next', 'NAME', 'a"b')).toBe(`NAME='a"b'`);
});

it('a value with quotes of all kinds is refused where no line can have it', () => {
  expect(() => settingLine('dotenv', 'NAME', `'"\``)).toThrow('use --for shell');
  expect(settingLine('shell', 'NAME', `'"\``)).toBe(`export NAME=''\\''"\`'`);
});
