import {
  compactionDue,
  dayMs,
  type RetainedSegment,
  trimDue,
} from '../../../src/topics/topics/retention.policy.js';
import { unlimited } from '../../../src/topics/topics/topic.events.js';

const now = 1_767_000_000_000;
const hour = 3_600_000;

/** Segments of ten records, with the given ages in hours; the last one is still growing. */
const spans = (...ages: readonly number[]): RetainedSegment[] =>
  ages.map((age, index) => ({
    baseOffset: index * 10,
    nextOffset: index * 10 + 10,
    byteLength: 100,
    latestTime: now - age * hour,
    isSealed: index < ages.length - 1,
  }));

const never = { retentionMs: unlimited, retentionBytes: unlimited };

describe('retention by time', () => {
  const after3h = { ...never, retentionMs: 3 * hour };

  it.each<[string, RetainedSegment[], number | null]>([
    ['keeps what is young', spans(3, 2, 1), null],
    ['lets go of what is old', spans(5, 4, 1), 20],
    ['stops at the first that is young', spans(5, 1, 4, 1), 10],
    ['reaches what still grows after a long time without a write', spans(5, 4), 20],
    ['has nothing to do with an empty log', [], null],
  ])('%s', (_what, log, before) => {
    expect(trimDue(log, after3h, now)?.before ?? null).toBe(before);
  });

  it('gives time as the cause', () => {
    expect(trimDue(spans(5, 1), after3h, now)).toEqual({ before: 10, cause: 'time' });
  });
});

describe('retention by size', () => {
  it.each<[number, number | null]>([
    [1000, null],
    [400, null],
    [399, null],
    [300, 10],
    [201, 10],
    [200, 20],
    [1, 30],
  ])('of %d bytes keeps at least as much, and the growing segment', (retentionBytes, before) => {
    const due = trimDue(spans(4, 3, 2, 1), { ...never, retentionBytes }, now);
    expect(due?.before ?? null).toBe(before);
  });

  it('removes more than time does, or less', () => {
    const log = spans(5, 4, 3, 1);
    const both = (retentionMs: number, retentionBytes: number) =>
      trimDue(log, { retentionMs, retentionBytes }, now);
    expect(both(4.5 * hour, 200)).toEqual({ before: 20, cause: 'size' });
    expect(both(2 * hour, 300)).toEqual({ before: 30, cause: 'time' });
  });
});

test('without limits everything is kept', () => {
  expect(trimDue(spans(1e6, 1e5, 1e4), never, now)).toBeNull();
});

describe('compaction', () => {
  const lately = now - hour;

  it.each<[string, RetainedSegment[], number, number, number | null]>([
    ['begins with all that is sealed', spans(3, 2, 1), 0, 0, 20],
    ['waits for what grows', spans(1), 0, 0, null],
    ['takes what has grown for a day', spans(24), 0, 0, 10],
    ['is worth it when half as much came as there was', spans(9, 8, 7, 1), 20, lately, 30],
    ['waits until that much came', spans(9, 8, 7, 6, 1), 30, lately, null],
    ['does not wait longer than a day', spans(9, 8, 7, 6, 1), 30, now - dayMs, 40],
    ['has nothing to do where nothing came', spans(9, 8, 1), 20, 0, null],
  ])('%s', (_what, log, cleanUntil, begunAt, until) => {
    const last = { cleanUntil, begunAt, oldestTombstone: null };
    expect(compactionDue(log, last, now)).toBe(until);
  });

  it('is due again for tombstones that have become a day old', () => {
    const cleanUntil = 20;
    const due = (begunAt: number, oldestTombstone: number) =>
      compactionDue(spans(9, 8, 1), { cleanUntil, begunAt, oldestTombstone }, now);
    expect(due(now - dayMs, now - dayMs - 1)).toBe(20);
    expect(due(now - dayMs, now - dayMs)).toBeNull();
    expect(due(lately, now - dayMs - 1)).toBeNull();
  });
});
