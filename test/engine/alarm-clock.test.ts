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
    alarms.set('second', start + 5000);
    alarms.set('first', start + 1000);
    clock.advance(4999);
    expect(rung).toEqual([{ item: 'first', at: start + 1000 }]);
    clock.advance(1);
    expect(rung).toHaveLength(2);
    expect(alarms.size).toBe(0);
  });

  it('rings an alarm of the past on the next tick', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set('late', start - 1);
    expect(rung).toEqual([]);
    clock.advance(0);
    expect(rung).toHaveLength(1);
  });

  it('does not ring what was cancelled', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set('never', start + 10);
    alarms.set('always', start + 10);
    alarms.cancel('never');
    alarms.cancel('never');
    expect(alarms.size).toBe(1);
    clock.advance(100);
    expect(rung.map(({ item }) => item)).toEqual(['always']);
    expect(alarms.size).toBe(0);
  });

  it('rings a year away at the right time although a timer overflows after 24.8 days', () => {
    const { clock, rung, alarms } = alarmClock();
    const year = 365 * 86_400_000;
    alarms.set('anniversary', start + year);
    clock.advance(year - 1);
    expect(rung).toEqual([]);
    clock.advance(1);
    expect(rung).toEqual([{ item: 'anniversary', at: start + year }]);
  });

  it('notices within a minute that the wall clock was set forward', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set('moved', start + 10 * 3_600_000);
    clock.set(start + 20 * 3_600_000);
    clock.advance(59_999);
    expect(rung).toEqual([]);
    clock.advance(1);
    expect(rung).toHaveLength(1);
  });

  it('waits as long as the wall clock shows, if that was set back', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set('moved', start + 1000);
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
    const alarms = new AlarmClock<number>(slow, () => {
      monotonic += 1;
      ticks.push((ticks.pop() ?? 0) + 1);
    });
    for (let index = 0; index < 100; index += 1) alarms.set(index, start + 1);
    clock.advance(1);
    expect(Math.max(...ticks)).toBeLessThan(10);
    expect(ticks.reduce((sum, rings) => sum + rings)).toBe(100);
  });

  it('keeps one timer for any number of alarms and forgets cancelled ones', () => {
    const { clock, rung, alarms } = alarmClock();
    const items = Array.from({ length: 10_000 }, (_, index) => String(index));
    for (const item of items) alarms.set(item, start + 1 + Number(item));
    expect(clock.armed).toBe(1);
    for (const item of items) alarms.cancel(item);
    expect(alarms.size).toBe(0);
    clock.advance(20_000);
    expect(rung).toEqual([]);
  });

  it('rings nothing after it was stopped', () => {
    const { clock, rung, alarms } = alarmClock();
    alarms.set('x', start + 1);
    alarms.stop();
    clock.advance(1000);
    expect(rung).toEqual([]);
  });

  it('rings once for an item, at the time that was set last', () => {
    const { clock, rung, alarms } = alarmClock();
    for (const delay of [20, 50, 10, 50, 30]) alarms.set('moved', start + delay);
    expect(alarms.size).toBe(1);
    expect(alarms.timeOf('moved')).toBe(start + 30);
    clock.advance(1000);
    expect(rung).toEqual([{ item: 'moved', at: start + 30 }]);
    expect(alarms.timeOf('moved')).toBeUndefined();
  });

  it('rings for each item once, at the time that was set last and never early, in order', () => {
    const order = fc.record({
      item: fc.integer({ min: 0, max: 50 }).map(String),
      delay: fc.option(fc.integer({ min: 0, max: 5000 })),
    });
    const anyOrders = fc.array(order, { maxLength: 3000, size: 'max' });
    fc.assert(
      fc.property(anyOrders, (orders) => {
        const { clock, rung, alarms } = alarmClock();
        const expected = new Map<string, number>();
        for (const { item, delay } of orders) {
          if (delay === null) {
            alarms.cancel(item);
            expected.delete(item);
          } else {
            alarms.set(item, start + delay);
            expected.set(item, start + delay);
          }
        }
        expect(alarms.size).toBe(expected.size);
        clock.advance(5000);
        expect(new Map(rung.map(({ item, at }) => [item, at]))).toEqual(expected);
        const times = rung.map(({ at }) => at);
        expect(times).toEqual([...expected.values()].sort((a, b) => a - b));
      }),
    );
  });
});
