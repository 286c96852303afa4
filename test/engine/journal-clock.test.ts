import fc from 'fast-check';
import { JournalClock } from '../../src/engine/clock.js';
import { ManualClock } from '../support/manual-clock.js';

let machine: ManualClock;
let clock: JournalClock;
let begun: number;

beforeEach(() => {
  machine = new ManualClock();
  clock = new JournalClock(machine);
  begun = machine.now();
});

describe('the clock of a journal', () => {
  it('follows the clock of the machine', () => {
    expect(clock.now()).toBe(begun);
    clock.follow([{ at: begun }]);
    machine.advance(1500);
    expect(clock.now()).toBe(begun + 1500);
  });

  it('stands still at the last event until the clock of the machine has caught up', () => {
    clock.follow([{ at: begun + 1 }, { at: begun + 10_000 }]);
    expect(clock.now()).toBe(begun + 10_000);
    machine.advance(9999);
    expect(clock.now()).toBe(begun + 10_000);
    machine.advance(2);
    expect(clock.now()).toBe(begun + 10_001);
  });

  it('does not wait for a time that only a wrong clock can have shown', () => {
    const year = 365 * 86_400_000;
    clock.follow([{ at: begun + year }]);
    expect(clock.now()).toBe(begun);
    // Events that happen now are not delayed by that event either, whenever its time comes.
    clock.follow([{ at: begun }]);
    machine.advance(year - 5000);
    expect(clock.now()).toBe(begun + year - 5000);
  });

  it('dates no event before the last one, whatever steps of up to 10 s a clock makes', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ max: 1e4 })));
    fc.assert(
      fc.property(steps, (taken) => {
        const moved = new ManualClock();
        const kept = new JournalClock(moved);
        let last = 0;
        for (const [passedMs, backMs] of taken) {
          moved.advance(passedMs);
          // Behind the last event by at most 10 s, like a node whose clock is wrong by that much.
          moved.set(Math.max(moved.now() - Math.max(0, backMs), last - 10_000));
          const at = kept.now();
          expect(at).toBeGreaterThanOrEqual(last);
          kept.follow([{ at }]);
          last = at;
        }
      }),
    );
  });
});
