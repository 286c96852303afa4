import { tickWord, timeTicks } from '../../../src/console/web/run/time-ticks.js';

const s = 1000;
const min = 60 * s;

test.each([
  ['14.3 s', 14_300, [0, 5 * s, 10 * s]],
  ['9 ms', 9, [0, 2, 4, 6, 8]],
  ['2.6 s', 2_600, [0, 1 * s, 2 * s]],
  ['2 s', 2_000, [0, 500, 1000, 1500, 2000]],
  ['59 min', 59 * min, [0, 15 * min, 30 * min, 45 * min]],
  ['3 days', 3 * 24 * 60 * min, [0, 1, 2, 3].map((count) => count * 24 * 60 * min)],
  ['no time', 0, [0]],
])('a run of %s has marks at round times', (_name, spanMs, ticks) => {
  expect(timeTicks(spanMs)).toEqual(ticks);
});

test('a mark is written with no more digits than it has', () => {
  expect([0, 200, 5 * s, 90 * s, 15 * min].map(tickWord)).toEqual([
    '0',
    '200 ms',
    '5 s',
    '1 min 30 s',
    '15 min',
  ]);
});

test('a run of any length has one to six marks within it', () => {
  for (let spanMs = 1; spanMs < 1e13; spanMs *= 1.37) {
    const ticks = timeTicks(spanMs);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.at(-1)).toBeLessThanOrEqual(spanMs);
  }
});
