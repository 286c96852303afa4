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

/** Whether the clock is believed at each of so many looks, a minute apart. */
const looks = (count: number) =>
  Array.from({ length: count }, () => {
    clock.advance(minute);
    return watch.isTrusted();
  });

describe('the wall clock', () => {
  it('is believed while it goes as time goes, and when it drifts a little', () => {
    expect(looks(3)).toEqual([true, true, true]);
    for (let drift = 1; drift < 10; drift += 1) {
      clock.set(clock.now() + minute / 2);
      expect(looks(1)).toEqual([true]);
    }
  });

  it('that jumps ahead is not believed for an hour, and then it is', () => {
    clock.set(clock.now() + day);
    expect(looks(60)).toEqual(Array(60).fill(false));
    expect(looks(3)).toEqual([true, true, true]);
  });

  it('that is set right again is trusted at once', () => {
    clock.set(clock.now() + day);
    expect(looks(2)).toEqual([false, false]);
    clock.set(clock.now() - day);
    expect(looks(2)).toEqual([true, true]);
    clock.set(clock.now() + day);
    expect(looks(1)).toEqual([false]);
  });

  it('that goes back is believed, and the way forward again is a jump', () => {
    clock.set(clock.now() - day);
    expect(looks(2)).toEqual([true, true]);
    clock.set(clock.now() + day);
    expect(looks(2)).toEqual([false, false]);
  });
});
