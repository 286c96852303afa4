import { OutdatedPlaces } from '../../src/server/cluster/outdated-places.js';

const minute = 60_000;

it('a place is outdated once its retention is over, and is named once', () => {
  const outdated = new OutdatedPlaces(3 * minute);
  expect(outdated.take(10, 0)).toBeNull();
  expect(outdated.take(11, 1000)).toBeNull();
  expect(outdated.take(20, minute)).toBeNull();
  expect(outdated.take(30, 2 * minute)).toBeNull();
  expect(outdated.take(40, 3 * minute)).toBe(10);
  expect(outdated.take(41, 3 * minute + 1)).toBeNull();
  expect(outdated.take(50, 10 * minute)).toBe(40);
});

it('nothing is outdated that was noted within the retention', () => {
  const outdated = new OutdatedPlaces(minute);
  for (let at = 0; at < 10 * minute; at += 5000) {
    const before = outdated.take(at, at);
    if (before !== null) expect(at - before).toBeGreaterThanOrEqual(minute);
  }
});
