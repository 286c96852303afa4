import { WallClockWatch } from '../../../src/engine/history/wall-clock-watch.js';
import { ManualClock } from '../../support/manual-clock.js';

const minute = 60_000;
const day = 86_400_000;

let clock: ManualClock;
let watch: WallClockWatch;

beforeEach(() => {
  clock = new ManualClock();
  watch = new WallClockWatch(clock);
});

/** Whether the clock is trusted at each of several looks, a minute apart. */
const looks = (count: number) =>
  Array.from({ length: count }, () => {
    clock.advance(minute);
    return watch.isTrusted();
  });

describe('the wall clock', () => {
  it('is trusted while it follows the monotonic clock, and when it drifts a little', () => {
    expect(looks(3)).toEqual([true, true, true]);
    for (let drift = 1; drift < 10; drift += 1) {
      clock.set(clock.now() + minute / 2);
      expect(looks(1)).toEqual([true]);
    }
  });

  it('is not trusted for an hour after it jumps ahead, and then it is', () => {
    clock.set(clock.now() + day);
    expect(looks(60)).toEqual(Array(60).fill(false));
    expect(looks(3)).toEqual([true, true, true]);
  });

  it('is trusted at once when it is set right again', () => {
    clock.set(clock.now() + day);
    expect(looks(2)).toEqual([false, false]);
    clock.set(clock.now() - day);
    expect(looks(2)).toEqual([true, true]);
    clock.set(clock.now() + day);
    expect(looks(1)).toEqual([false]);
  });

  it('is trusted when it goes back, and its way forward again is a jump', () => {
    clock.set(clock.now() - day);
    expect(looks(2)).toEqual([true, true]);
    clock.set(clock.now() + day);
    expect(looks(2)).toEqual([false, false]);
  });
});
