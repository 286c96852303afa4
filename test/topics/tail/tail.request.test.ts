import { parseTailQuery } from '../../../src/topics/tail/tail.request.js';

const startOf = (from: string) => {
  const read = parseTailQuery(`/tail/rides?from=${encodeURIComponent(from)}`);
  return read.ok ? read.value.start : read.message;
};

describe('where a tail begins', () => {
  it.each([
    ['newest', { newest: 0 }],
    ['newest-50', { newest: 50 }],
    ['earliest', { offset: 0 }],
    ['12', { offset: 12 }],
    ['1700000000000', { time: 1_700_000_000_000 }],
    ['2026-11-20', { time: Date.UTC(2026, 10, 20) }],
    ['2026-11-20T04:05', { time: Date.UTC(2026, 10, 20, 4, 5) }],
    ['2026-11-20 04:05:06', { time: Date.UTC(2026, 10, 20, 4, 5, 6) }],
    ['2026-11-20T04:05:06.789Z', { time: Date.UTC(2026, 10, 20, 4, 5, 6, 789) }],
    ['2026-11-20T04:05:06+02:00', { time: Date.UTC(2026, 10, 20, 2, 5, 6) }],
  ])('can be %s', (from, start) => {
    expect(startOf(from)).toEqual(start);
  });

  it.each([
    '-5',
    '5.5',
    'offset-5',
    'newest 50',
    'abc 5',
    '20 November 2026',
    '2026-11-20T04',
    '2026-02-31',
    '2026-02-31T00:00Z',
    '2026-13-01',
    '2026-11-20T04:60Z',
    '2026-11-20T04:05+99:00',
  ])('cannot be %s', (from) => {
    expect(startOf(from)).toContain('from is not newest');
  });
});
