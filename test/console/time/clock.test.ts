import { now, requestTime } from '../../../src/console/web/time/clock.js';

const day = 86_400_000;
const dateIn = (ms: number) => new Date(Date.now() + ms).toUTCString();
/** How far the displayed time is ahead of `Date.now()`. */
const msAhead = () => now() - Date.now();

it('the displayed time is that of the server if its clock differs', () => {
  requestTime()(dateIn(3 * day));
  expect(Math.abs(msAhead() - 3 * day)).toBeLessThan(2000);
  requestTime()(dateIn(-day));
  expect(Math.abs(msAhead() + day)).toBeLessThan(2000);
});

it.each([
  ['that a header can show', dateIn(-900)],
  ['of an answer that has no date', null],
])('no difference %s changes the displayed time', (_name, date) => {
  requestTime()(dateIn(day));
  requestTime()(date);
  expect(Math.abs(msAhead())).toBeLessThan(50);
});

it("a slow answer does not make the server's clock seem late", async () => {
  const noteDate = requestTime();
  const date = dateIn(0);
  await new Promise((resolve) => setTimeout(resolve, 3100));
  noteDate(date);
  expect(Math.abs(msAhead())).toBeLessThan(50);
});
