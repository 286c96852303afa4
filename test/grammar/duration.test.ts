import fc from 'fast-check';
import { parseDuration, parseTimeout } from '../../src/grammar/duration.js';

const unitMs = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5, mo: 2592e6, y: 31536e6 };
type Unit = keyof typeof unitMs;

function millisecondsOf(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration.ok ? duration.value : undefined;
}

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['90', 90_000],
    ['30s', 30_000],
    ['1d10h30m', 124_200_000],
    ['1mo', 2_592_000_000],
    ['1m1mo', 2_592_060_000],
    ['1w', 604_800_000],
    ['1y', 31_536_000_000],
    ['007s', 7_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(millisecondsOf(text)).toBe(milliseconds);
  });

  it.each([
    '',
    ' ',
    '-1',
    '+1s',
    '1.5s',
    's',
    '1 s',
    '1s ',
    '1S',
    '1ms',
    '1us',
    '1h30',
    '30 1h',
    'abc',
    '1e3',
    '0x10',
    '∞',
    '١s',
    '1s\n',
    '1sconstructor',
    'NaN',
    '1mo1',
  ])('refuses %j', (text) => {
    expect(parseDuration(text).ok).toBe(false);
  });

  it('refuses what milliseconds cannot count exactly', () => {
    expect(parseDuration('9007199254740991s').ok).toBe(false);
    expect(parseDuration('9999999999999999999999y').ok).toBe(false);
  });

  it('adds up any parts in any order', () => {
    const parts = fc.array(
      fc.tuple(fc.nat(9999), fc.constantFrom(...(Object.keys(unitMs) as Unit[]))),
      { minLength: 1, maxLength: 9 },
    );
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.map(([amount, unit]) => `${amount}${unit}`).join('');
        const total = list.reduce((sum, [amount, unit]) => sum + amount * unitMs[unit], 0);
        expect(millisecondsOf(text)).toBe(total);
      }),
    );
  });

  it('answers every text with a whole number of milliseconds or a reason', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const duration = parseDuration(text);
        if (duration.ok) expect(Number.isSafeInteger(duration.value)).toBe(true);
        else expect(duration.message).not.toBe('');
      }),
    );
  });

  it('is read no further than 64 characters', () => {
    expect(parseDuration('1s'.repeat(32)).ok).toBe(true);
    expect(parseDuration('1s'.repeat(33)).ok).toBe(false);
    expect(parseDuration('1'.repeat(1_000_000)).ok).toBe(false);
  });
});

describe('a timeout', () => {
  it.each([
    ['30', 30_000],
    ['2.5s', 2500],
    ['2.5', 2500],
    ['1m0.25s', 60_250],
    ['1.5h', 5_400_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseTimeout(text)).toEqual({ ok: true, value: milliseconds });
  });

  it.each(['0', '0s', '0.0001s', '.5s', '5.s', '1..5s', '1.5.5s', '-1s', ''])(
    'refuses %j',
    (text) => {
      expect(parseTimeout(text).ok).toBe(false);
    },
  );
});
