import { daysLeft } from '../../../src/server/overview/disk-trend.js';

const hourMs = 3_600_000;
const look = (hours: number, availableBytes: number) => ({ at: hours * hourMs, availableBytes });

describe('the days that are left of a disk', () => {
  it('are those after which nothing is left at the pace of the looks', () => {
    expect(daysLeft(look(0, 1000), look(24, 900))).toBe(9);
    expect(daysLeft(look(6, 1000), look(12, 900))).toBe(2.3);
    expect(daysLeft(look(0, 1000), look(24, 0))).toBe(0);
  });

  it('are not known where it is not getting less', () => {
    expect(daysLeft(look(0, 1000), look(24, 1000))).toBeNull();
    expect(daysLeft(look(0, 1000), look(24, 2000))).toBeNull();
  });

  it('are not known from looks that are near each other', () => {
    expect(daysLeft(undefined, look(24, 1000))).toBeNull();
    expect(daysLeft(look(0, 1000), look(0.1, 500))).toBeNull();
  });
});
