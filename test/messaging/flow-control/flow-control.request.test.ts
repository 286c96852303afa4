import fc from 'fast-check';
import {
  parseNothing,
  parsePin,
  parseSearch,
  parseUnpin,
} from '../../../src/messaging/flow-control/flow-control.request.js';

const pin = (query: string) => parsePin(`/v2/flowControl/k/pin${query}`);
const unpin = (query: string) => parseUnpin(`/v2/flowControl/k/unpin${query}`);

describe('a pin request', () => {
  it.each([
    ['?parallelism=3', 3, null, null],
    ['?rate=10', null, 10, null],
    ['?period=604800', null, null, 604_800],
    ['?parallelism=3&rate=10&period=60', 3, 10, 60],
    ['?rate=10&qstash_token=secret', null, 10, null],
  ])('is read from %s', (query, parallelism, rate, periodSeconds) => {
    const value = { parallelism, rate, periodSeconds };
    expect(pin(query)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'parallelism'],
    ['?qstash_token=secret', 'parallelism'],
    ['?parallelism=', 'parallelism'],
    ['?parallelism=0', 'parallelism'],
    ['?parallelism=-1', 'parallelism'],
    ['?rate=1.5', 'rate'],
    ['?rate=1e3', 'rate'],
    ['?rate=99999999999999999999', 'rate'],
    ['?rate=1&rate=2', 'rate'],
    ['?rate=1,2', 'rate'],
    ['?period=0', 'period'],
    ['?period=1m', 'period'],
    ['?period=604801', 'period'],
    ['?rat=1', 'rat'],
    ['?rate=1&constructor=2', 'constructor'],
  ])('is refused for %j, naming %s', (query, named) => {
    expect(pin(query)).toMatchObject({ ok: false, message: expect.stringContaining(named) });
  });
});

describe('an unpin request', () => {
  it.each([
    ['?parallelism=true', true, false],
    ['?rate=True', false, true],
    ['?parallelism=true&rate=false', true, false],
    ['?parallelism=false', false, false],
  ])('is read from %s', (query, parallelism, rate) => {
    expect(unpin(query)).toEqual({ ok: true, value: { parallelism, rate } });
  });

  it.each([
    ['', 'parallelism'],
    ['?rate=1', 'rate'],
    ['?rate=', 'rate'],
    ['?parallelism=true&parallelism=true', 'parallelism'],
    ['?period=true', 'period'],
  ])('is refused for %j, naming %s', (query, named) => {
    expect(unpin(query)).toMatchObject({ ok: false, message: expect.stringContaining(named) });
  });
});

describe('a search parameter', () => {
  it('is a part of a key, or absent', () => {
    expect(parseSearch('/v2/flowControl?search=user-')).toEqual({ ok: true, value: 'user-' });
    expect(parseSearch('/v2/flowControl/')).toEqual({ ok: true, value: null });
    expect(parseSearch('/v2/flowControl?serach=x').ok).toBe(false);
  });

  it('is refused on routes where it has no meaning', () => {
    expect(parseNothing('/v2/flowControl/k?search=x').ok).toBe(false);
    expect(parseNothing('/v2/flowControl/k?token=x').ok).toBe(true);
  });
});

it('every query of limits yields limits in range or is refused with a reason', () => {
  const pieces = fc.constantFrom('rate', 'period', 'parallelism', '=', '&', '1', '-', '%', '%31');
  const query = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.array(pieces, { maxLength: 20 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(query, (text) => {
      const read = pin(`?${text}`);
      if (!read.ok) return expect(read.message).not.toBe('');
      const given = Object.values(read.value).filter((number) => number !== null);
      expect(given.length).toBeGreaterThan(0);
      for (const number of given) expect(number).toBeGreaterThan(0);
      expect(read.value.periodSeconds ?? 1).toBeLessThanOrEqual(604_800);
    }),
    { numRuns: 2000 },
  );
});
