import { moment } from '../../../src/console/web/time/format.ts';

const at = (text: string) => new Date(text).getTime();

test.each([
  ['the same day', '2026-11-23T23:59:59.999', '23:59:59.999'],
  ['the day before', '2026-11-22T14:03:05.123', '11-22 14:03:05'],
  ['a day to come', '2026-11-24T00:00:00.000', '11-24 00:00:00'],
  ['another year', '2025-11-23T14:03:05.123', '2025-11-23'],
])('a time of %s is written with its day if that is not today', (_, time, written) => {
  expect(moment(at(time), at('2026-11-23T00:00:00.000'))).toBe(written);
});
