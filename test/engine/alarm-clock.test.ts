import fc from 'fast-check';
import { AlarmClock } from '../../src/engine/alarm-clock.js';
import { ManualClock } from '../support/manual-clock.js';

const start = 1_767_000_000_000;

function alarmClock() {
  const clock = new ManualClock(start);
  const rung: { item: string; at: number }[] = [];
  const alarms = new AlarmClock<string>(clock, (item) => rung.push({ item, at: clock.now() }));
  return { clock, rung, alarms };
}

describe('an alarm clock', () => {
  it('rings each alarm at its time', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set(start + 5000, 'second');
    alarms.set(start + 1000, 'first');
    clock.advance(4999);
    expect(rung).toEqual([{ item: 'first', at: start + 1000 }]);
    clock.advance(1);
    expect(rung).toHaveLength(2);
    expect(alarms.size).toBe(0);
  });

  it('rings an alarm of the past on the next tick', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set(start - 1, 'late');
    expect(rung).toEqual([]);
    clock.advance(0);
    expect(rung).toHaveLength(1);
  });

  it('does not ring what was cancelled', () => {
    const { clock, rung, alarms } = alarmClock();
    const alarm = alarms.set(start + 10, 'never');
    alarms.set(start + 10, 'always');
    alarm.cancel();
    alarm.cancel();
    expect(alarms.size).toBe(1);
    clock.advance(100);
    expect(rung.map(({ item }) => item)).toEqual(['always']);
    expect(alarms.size).toBe(0);
  });

  it('rings a year away at the right time although a timer overflows after 24.8 days', () => {
    const { clock, rung, alarms } = alarmClock();
    const year = 365 * 86_400_000;
    alarms.set(start + year, 'anniversary');
    clock.advance(year - 1);
    expect(rung).toEqual([]);
    clock.advance(1);
    expect(rung).toEqual([{ item: 'anniversary', at: start + year }]);
  });

  it('notices within a minute that the wall clock was set forward', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set(start + 10 * 3_600_000, 'moved');
    clock.set(start + 20 * 3_600_000);
    clock.advance(59_999);
    expect(rung).toEqual([]);
    clock.advance(1);
    expect(rung).toHaveLength(1);
  });

  it('waits as long as the wall clock shows, if that was set back', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set(start + 1000, 'moved');
    clock.set(start - 3_600_000);
    clock.advance(3_600_999);
    expect(rung).toEqual([]);
    clock.advance(60_000);
    expect(rung).toHaveLength(1);
  });

  it('lets the loop run between two ticks of slow rings, and rings them all', () => {
    const clock = new ManualClock(start);
    let monotonic = 0;
    const ticks: number[] = [];
    const slow = {
      now: () => clock.now(),
      monotonic: () => monotonic,
      after: (delayMs: number, callback: () => void) =>
        clock.after(delayMs, () => {
          ticks.push(0);
          callback();
        }),
    };
    const alarms = new AlarmClock<string>(slow, () => {
      monotonic += 1;
      ticks.push((ticks.pop() ?? 0) + 1);
    });
    for (let index = 0; index < 100; index += 1) alarms.set(start + 1, 'slow');
    clock.advance(1);
    expect(Math.max(...ticks)).toBeLessThan(10);
    expect(ticks.reduce((sum, rings) => sum + rings)).toBe(100);
  });

  it('keeps one timer for any number of alarms and forgets cancelled ones', () => {
    const { clock, alarms } = alarmClock();
    const set = Array.from({ length: 10_000 }, (_, index) => alarms.set(start + 1 + index, 'x'));
    expect(clock.armed).toBe(1);
    for (const alarm of set) alarm.cancel();
    expect(alarms.size).toBe(0);
  });

  it('rings nothing after it was stopped', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set(start + 1, 'x');
    alarms.stop();
    clock.advance(1000);
    expect(rung).toEqual([]);
  });

  it('rings every alarm that was not cancelled once, never early, in order of time', () => {
    const alarm = fc.record({ delay: fc.integer({ min: 0, max: 5000 }), cancelled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(alarm, { maxLength: 700 }), (plan) => {
        const { clock, rung, alarms } = alarmClock();
        plan.forEach(({ delay, cancelled }, index) => {
          const set = alarms.set(start + delay, String(index));
          if (cancelled) set.cancel();
        });
        clock.advance(5000);
        expect(rung.map(({ item }) => Number(item)).sort((a, b) => a - b)).toEqual(
          plan.flatMap(({ cancelled }, index) => (cancelled ? [] : [index])),
        );
        expect(rung.every(({ item, at }) => at === start + (plan[Number(item)]?.delay ?? 0))).toBe(
          true,
        );
        const times = rung.map(({ at }) => at);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }),
    );
  });
});
