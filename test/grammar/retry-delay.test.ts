import fc from 'fast-check';
import {
  evaluateRetryDelay,
  parseNewRetryDelay,
  parseRetryDelay,
} from '../../src/grammar/retry-delay.js';

describe('a retry-delay expression', () => {
  it.each([
    ['1000', 0, 1000],
    ['1000 * (1 + retried)', 3, 4000],
    ['pow(2, retried) * 1000', 4, 16_000],
    ['max(10000, pow(2, retried) * 1000)', 2, 10_000],
    ['max(10000, pow(2, retried) * 1000)', 5, 32_000],
    ['min(5, 7) + floor(1.9) + ceil(1.1) + round(2.5)', 0, 11],
    ['sqrt(16) + abs(-3) + exp(0)', 0, 8],
    ['7 - 2 - 1', 0, 4],
    ['100 / 8 / 2', 0, 6],
    ['-(-5)', 0, 5],
    ['2 + 3 * 4', 0, 14],
    [' \t5 ', 0, 5],
    ['.5e3', 0, 500],
  ])('%s with retried = %d is %d ms', (text, retried, milliseconds) => {
    expect(evaluateRetryDelay(text, retried)).toBe(milliseconds);
  });

  it.each([
    '',
    ' ',
    '1;2',
    '1 2',
    '1,2',
    'a.b',
    'retried.constructor',
    'retried["x"]',
    '"5"',
    "'5'",
    '`5`',
    'true',
    'null',
    'this',
    '[1]',
    '{}',
    '1 ? 2 : 3',
    'retries',
    'constructor',
    '__proto__',
    'toString()',
    'constructor()',
    'pow(2)',
    'pow(1,2,3)',
    'min()',
    'min(1,,2)',
    'exp(1,2)',
    'pow',
    'retried(1)',
    'pow(2,3)(4)',
    'Math.pow(2,3)',
    '+5',
    '!5',
    '~5',
    '2 ** 3',
    '5 % 2',
    '1 | 2',
    '1 << 2',
    '1 == 1',
    '1 && 2',
    '1 || 2',
    '1 ?? 2',
    'retried = 1',
    'retried++',
    '(1',
    '1)',
    '1 +',
    '* 2',
    '0x10',
    '1_000',
    '1e',
    'x => 1',
    'new Date',
    'function(){}',
    '/* */ 1',
    '1 // no',
    '\u0000',
    'ретри',
    '５',
  ])('refuses %j', (text) => {
    const expression = parseRetryDelay(text);
    expect(expression.ok).toBe(false);
    expect(expression).not.toHaveProperty('reason', '');
    expect(evaluateRetryDelay(text, 0)).toBeUndefined();
  });

  it.each([
    '1000,',
    ',1000',
    '1000;',
    ';1000',
    '(1000,)',
    'min(1 2)',
    '(min(1 2),)',
    'min?.(1, 2)',
  ])('refuses %j of a new message, and reads that of an earlier one', (text) => {
    expect(parseNewRetryDelay(text).ok).toBe(false);
    expect(evaluateRetryDelay(text, 0)).toBeGreaterThan(0);
  });

  it.each(['max(10000, pow(2, retried) * 1000)', '-min( 1 ,2)', 'round(1)'])('takes %j', (text) => {
    expect(parseNewRetryDelay(text).ok).toBe(true);
  });

  it('is bounded in characters, terms and depth', () => {
    expect(parseRetryDelay(`1${' '.repeat(255)}`).ok).toBe(true);
    expect(parseRetryDelay(`1${' '.repeat(256)}`).ok).toBe(false);
    expect(parseRetryDelay('-'.repeat(15).concat('1')).ok).toBe(true);
    expect(parseRetryDelay('-'.repeat(16).concat('1')).ok).toBe(false);
    const balanced = (levels: number): string =>
      levels === 0 ? '1' : `(${balanced(levels - 1)}+${balanced(levels - 1)})`;
    expect(parseRetryDelay(balanced(5)).ok).toBe(true); // 63 terms
    expect(parseRetryDelay(balanced(6).replaceAll(/[()]/g, '')).ok).toBe(false);
    expect(parseRetryDelay(`${balanced(5)}+1`).ok).toBe(false); // 65 terms
    expect(parseRetryDelay(`${'('.repeat(127)}1${')'.repeat(127)}`).ok).toBe(true);
    expect(parseRetryDelay('('.repeat(100_000)).ok).toBe(false);
  });

  it.each(['0 / 0', '1 / 0', '1e400', 'pow(10, pow(10, 10))', 'sqrt(-1)', 'exp(1e9)', '-1/0'])(
    '%s leaves the delay to the default backoff',
    (text) => {
      expect(parseRetryDelay(text).ok).toBe(true);
      expect(evaluateRetryDelay(text, 0)).toBeUndefined();
    },
  );

  it('is never negative and at most a day', () => {
    expect(evaluateRetryDelay('-5', 0)).toBe(0);
    expect(Object.is(evaluateRetryDelay('-0', 0), 0)).toBe(true);
    expect(evaluateRetryDelay('1e12', 0)).toBe(86_400_000);
    expect(evaluateRetryDelay('1.4', 0)).toBe(1);
  });

  it('means what the same arithmetic means', () => {
    type Term = readonly [text: string, value: (retried: number) => number];
    const leaf: fc.Arbitrary<Term> = fc.oneof(
      fc.nat(1000).map((n): Term => [`${n}`, () => n]),
      fc.constant<Term>(['retried', (retried) => retried]),
    );
    const binary = (operator: string, of: (a: number, b: number) => number) =>
      fc
        .tuple(leaf, leaf)
        .map(
          ([a, b]): Term => [
            `(${a[0]} ${operator} ${b[0]})`,
            (retried) => of(a[1](retried), b[1](retried)),
          ],
        );
    const term = fc.oneof(
      binary('+', (a, b) => a + b),
      binary('-', (a, b) => a - b),
      binary('*', (a, b) => a * b),
      binary('/', (a, b) => a / b),
      fc
        .tuple(leaf, leaf)
        .map(
          ([a, b]): Term => [
            `max(${a[0]}, ${b[0]})`,
            (retried) => Math.max(a[1](retried), b[1](retried)),
          ],
        ),
    );
    fc.assert(
      fc.property(term, term, fc.nat(20), (a, b, retried) => {
        const sum = a[1](retried) + b[1](retried);
        const wanted = Number.isFinite(sum)
          ? Math.round(Math.min(Math.max(sum, 0), 86_400_000))
          : undefined;
        expect(evaluateRetryDelay(`${a[0]} + ${b[0]}`, retried)).toBe(wanted);
      }),
    );
  });

  it('answers every text, made of its own words or of anything, with a delay or nothing', () => {
    const words = fc.constantFrom(
      ...'+ - * / ( ) , . retried pow exp sqrt min max floor 0 1 9 1e9 [ ] ; " ? : = !'.split(' '),
    );
    const text = fc.oneof(
      fc.array(words, { maxLength: 60 }).map((list) => list.join(' ')),
      fc.string({ unit: 'binary', maxLength: 300 }),
    );
    fc.assert(
      fc.property(text, fc.nat(1000), (expression, retried) => {
        const delay = evaluateRetryDelay(expression, retried);
        if (delay === undefined) return;
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(86_400_000);
      }),
      { numRuns: 5000 },
    );
  });
});
