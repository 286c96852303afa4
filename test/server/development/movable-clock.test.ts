import { MovableClock } from '../../../src/server/development/movable-clock.js';
import { ManualClock } from '../../support/manual-clock.js';

const day = 86_400_000;

it('a moved clock moves both of its times and rings what came due, the earliest first', () => {
  const machine = new ManualClock();
  const clock = new MovableClock(machine);
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  const rung: string[] = [];
  clock.after(2 * day, () => rung.push('second'));
  clock.after(day, () => rung.push('first'));
  clock.after(4 * day, () => rung.push('later'));
  clock.after(day, () => rung.push('canceled'))();
  clock.forward(3 * day);
  expect([clock.now() - now, clock.monotonic() - monotonic]).toEqual([3 * day, 3 * day]);
  // Not within the move, as a callback may move the clock again, or cancel others.
  expect(rung).toEqual([]);
  machine.advance(0);
  expect(rung).toEqual(['first', 'second']);
  machine.advance(day);
  expect(rung).toEqual(['first', 'second', 'later']);
});

it('a movable clock continues an earlier process, and leaves outside durations alone', () => {
  const machine = new ManualClock();
  const clock = new MovableClock(machine, day);
  expect([clock.now() - machine.now(), clock.monotonic()]).toEqual([day, machine.monotonic()]);
  const { outside } = clock;
  let isLate = false;
  outside.after(60_000, () => {
    isLate = true;
  });
  const begun = outside.monotonic();
  clock.forward(day);
  machine.advance(1000);
  expect([outside.monotonic() - begun, isLate]).toEqual([1000, false]);
  expect(outside.now() - machine.now()).toBe(2 * day);
});
