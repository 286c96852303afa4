import { clockTicks, tickWord, timeTicks } from '../../../src/console/web/time/ticks.js';

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

test('a mark is written with no more digits than it needs', () => {
  expect([0, 200, 1500, 5 * s, 90 * s, 15 * min].map(tickWord)).toEqual([
    '0',
    '200 ms',
    '1.5 s',
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

const at = (hours: number, minutes: number, day = 24) =>
  new Date(2026, 10, day, hours, minutes).getTime();

test.each([
  ['an hour', at(10, 41), at(11, 41), ['10:50', '11:00', '11:10', '11:20']],
  ['six hours over midnight', at(22, 10), at(4, 10, 25), ['23:00', 'Nov 25', '01:00', '02:00']],
  ['a week', at(10, 0, 17), at(10, 0, 24), ['Nov 18', 'Nov 19', 'Nov 20', 'Nov 21']],
])('the clock of %s has marks at round times', (_name, from, until, words) => {
  const ticks = clockTicks(from, until);
  expect(ticks.slice(0, 4).map(({ word }) => word)).toEqual(words);
});

test('a clock of a minute to a year has at most eight marks, all within it and in order', () => {
  for (let spanMs = min; spanMs < 3e10; spanMs *= 1.31) {
    const from = at(13, 7);
    const times = clockTicks(from, from + spanMs).map((tick) => tick.at);
    expect(times.length).toBeLessThanOrEqual(8);
    expect(times).toEqual([...new Set(times)].sort((one, two) => one - two));
    for (const time of times) expect(time).toBeGreaterThanOrEqual(from);
    for (const time of times) expect(time).toBeLessThanOrEqual(from + spanMs);
  }
});
