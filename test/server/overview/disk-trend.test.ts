import { daysLeft } from '../../../src/server/overview/disk-trend.js';

const hourMs = 3_600_000;
const look = (hours: number, availableBytes: number) => ({ at: hours * hourMs, availableBytes });

describe('the days until a disk is full', () => {
  it('follow from the pace between two readings', () => {
    expect(daysLeft(look(0, 1000), look(24, 900))).toBe(9);
    expect(daysLeft(look(6, 1000), look(12, 900))).toBe(2.3);
    expect(daysLeft(look(0, 1000), look(24, 0))).toBe(0);
  });

  it('are unknown if the free space does not shrink', () => {
    expect(daysLeft(look(0, 1000), look(24, 1000))).toBeNull();
    expect(daysLeft(look(0, 1000), look(24, 2000))).toBeNull();
  });

  it('are unknown if the readings are too close to each other', () => {
    expect(daysLeft(undefined, look(24, 1000))).toBeNull();
    expect(daysLeft(look(0, 1000), look(0.1, 500))).toBeNull();
  });
});
