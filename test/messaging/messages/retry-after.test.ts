import fc from 'fast-check';
import { parseRetryAfter, retryAfterMs } from '../../../src/messaging/messages/retry-after.js';

const now = Date.UTC(2026, 0, 15, 12, 0, 0);

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['86400', 86_400_000],
    [' 7 ', 7000],
    ['10s', 10_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1h1m1s1ms', 3_661_001],
    ['2000us', 2],
    ['2000µs', 2],
    ['2000μs', 2],
    ['1ns', 1],
    ['Thu, 15 Jan 2026 12:01:30 GMT', 90_000],
    ['Thu, 15 Jan 2026 12:00:00 GMT', 0],
  ])('%s waits %d ms', (text, wait) => {
    expect(parseRetryAfter(text, now)).toBe(wait);
  });

  it.each([
    '',
    '-1',
    '-1s',
    '1.5',
    '86401',
    '24h1s',
    '9'.repeat(60),
    '1e3',
    'soon',
    '1d',
    '1 s',
    's',
    'Thu, 15 Jan 2026 11:59:59 GMT',
    'Thu, 15 Jan 2036 12:00:00 GMT',
    '2026-01-15T12:01:00Z',
    'Thu, 15 Jan 2026 12:01:30 +0100',
    'Xyz, 15 Jan 2026 12:01:30 GMT',
    'Thu, 99 Jan 2026 12:01:30 GMT',
    '5, 6',
    'Infinity',
    'NaN',
    '0x10',
    `1s${' '.repeat(100)}x`,
  ])('%j is ignored', (text) => {
    expect(parseRetryAfter(text, now)).toBeUndefined();
  });

  it('turns every text into whole milliseconds up to a day, or into nothing', () => {
    const pieces = fc.constantFrom('1', '9', '.', 's', 'ms', 'h', 'm', '-', ' ', 'GMT', ':', ',');
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 40 }).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(text, (value) => {
        const wait = parseRetryAfter(value, now);
        if (wait === undefined) return;
        expect(Number.isInteger(wait) && wait >= 0 && wait <= 86_400_000).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the headers of a failed attempt', () => {
  it('are read in any case', () => {
    expect(retryAfterMs(['content-type', 'text/plain', 'RETRY-AFTER', '3'], now)).toBe(3000);
  });

  it('let Retry-After win over rate-limit resets, in any order', () => {
    expect(retryAfterMs(['X-RateLimit-Reset', '60', 'Retry-After', '3'], now)).toBe(3000);
    expect(retryAfterMs(['Retry-After', 'garbage', 'X-RateLimit-Reset', '60'], now)).toBe(
      undefined,
    );
  });

  it('give the largest rate-limit reset that is at most a day', () => {
    const headers = [
      ['X-RateLimit-Reset', '1768478400'], // a Unix time, not a wait
      ['X-RateLimit-Reset-Requests', '6m0s'],
      ['x-ratelimit-reset-tokens', '500ms'],
    ].flat();
    expect(retryAfterMs(headers, now)).toBe(360_000);
  });

  it('request nothing if none of them is present', () => {
    expect(retryAfterMs([], now)).toBeUndefined();
    expect(retryAfterMs(['x-ratelimit-remaining', '5'], now)).toBeUndefined();
  });
});
