import fc from 'fast-check';
import {
  type FlowControlValue,
  formatFlowControlValue,
  parseFlowControlValue,
} from '../../src/grammar/flow-control-value.js';

describe('a flow-control value', () => {
  it.each([
    ['parallelism=3, rate=4, period=2s', 3, 4, 2],
    ['rate=1', null, 1, 1],
    ['rate=23, period=1h30m3s', null, 23, 5403],
    ['parallelism=5', 5, null, 1],
    ['period=60,parallelism=2', 2, null, 60],
    ['period=1w , rate=7', null, 7, 604_800],
    ['rate = 2', null, 2, 1],
  ])('%s', (text, parallelism, rate, periodSeconds) => {
    const value = { parallelism, rate, periodSeconds };
    expect(parseFlowControlValue(text)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    ' ',
    ',',
    'rate=1,',
    ',rate=1',
    'rate',
    'rate=',
    'rate=0',
    'rate=-1',
    'rate=1.5',
    'rate=1e3',
    'rate=x',
    'rate=1 rate=2',
    'rate=1,rate=1',
    'Rate=1',
    'speed=1',
    'period=1m',
    'rate=1,period=0',
    'rate=1,period=500ms',
    'rate=1,period=2w',
    'rate=1,period=',
    'rate==1',
    'constructor=1',
    'rate=99999999999999999',
    'parallelism=1;rate=2',
  ])('refuses %j', (text) => {
    expect(parseFlowControlValue(text).ok).toBe(false);
  });

  it.each([
    ['a number', `rate=${'1'.repeat(100_000)}`],
    ['blanks', `rate=1${' '.repeat(100_000)}`],
    ['pairs', 'rate=1,'.repeat(100_000)],
  ])('reads no further than 256 characters of %s', (_what, text) => {
    const reason = 'is longer than 256 characters';
    expect(parseFlowControlValue(text)).toMatchObject({ ok: false, message: reason });
  });

  it('reads back what it writes', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 1_000_000_000 }), { nil: null });
    const value: fc.Arbitrary<FlowControlValue> = fc
      .record({
        parallelism: limit,
        rate: limit,
        periodSeconds: fc.integer({ min: 1, max: 604800 }),
      })
      .filter(({ parallelism, rate }) => parallelism !== null || rate !== null);
    fc.assert(
      fc.property(value, (limits) => {
        const text = formatFlowControlValue(limits);
        expect(parseFlowControlValue(text)).toEqual({ ok: true, value: limits });
      }),
    );
  });

  it('answers every text with limits above zero or with a reason', () => {
    const pieces = fc.constantFrom('rate', 'parallelism', 'period', '=', ',', ' ', '1', '0', 's');
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.array(pieces, { maxLength: 30 }).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(text, (input) => {
        const value = parseFlowControlValue(input);
        if (!value.ok) return expect(value.message).not.toBe('');
        expect(value.value.rate ?? 1).toBeGreaterThan(0);
        expect(value.value.parallelism ?? 1).toBeGreaterThan(0);
      }),
      { numRuns: 3000 },
    );
  });
});
