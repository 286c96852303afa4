import { FollowerPlaces } from '../../src/server/cluster/follower-places.js';
import { LogTrimming } from '../../src/server/cluster/log-trimming.js';

const minute = 60_000;
const none = { slowest: null, kept: Number.POSITIVE_INFINITY, snapshotted: -1 };
const end = (place: number) => ({ place, offset: 10 * place });

it('a place is trimmed once its retention is over, and is reported once', () => {
  const trimming = new LogTrimming(3 * minute);
  expect(trimming.take(end(10), 0, none)).toBeNull();
  expect(trimming.take(end(11), 1000, none)).toBeNull();
  expect(trimming.take(end(20), minute, none)).toBeNull();
  expect(trimming.take(end(30), 2 * minute, none)).toBeNull();
  expect(trimming.take(end(40), 3 * minute, none)).toBe(10);
  expect(trimming.take(end(41), 3 * minute + 1, none)).toBeNull();
  expect(trimming.take(end(50), 10 * minute, none)).toBe(40);
});

it('nothing is trimmed that an active follower or the folder of the owner does not have', () => {
  const trimming = new LogTrimming(minute);
  trimming.take(end(10), 0, none);
  trimming.take(end(20), minute, { ...none, slowest: 0 });
  expect(trimming.take(end(30), 3 * minute, { ...none, slowest: 7 })).toBe(7);
  expect(trimming.take(end(40), 9 * minute, { ...none, slowest: 39, kept: 12 })).toBe(12);
  expect(trimming.take(end(50), 9 * minute, { ...none, slowest: 49 })).toBe(30);
});

it('what all followers and two snapshots have is trimmed early, once all were heard', () => {
  const trimming = new LogTrimming(10 * minute);
  const limits = { slowest: 1000, kept: 1000, snapshotted: 45 };
  for (let at = 0; at < 10; at += 1) {
    expect(trimming.take(end(at + 1), at * minute, limits)).toBeNull();
  }
  // Snapshots contain what existed when places up to 4 were noted.
  expect(trimming.take(end(11), 10 * minute, limits)).toBe(4);
  expect(trimming.take(end(12), 10 * minute + 1, { ...limits, snapshotted: 115 })).toBe(11);
  expect(trimming.take(end(13), 11 * minute, { ...none, snapshotted: 999 })).toBeNull();
});

it('the owner reports how far behind each follower was when it was last heard', () => {
  let now = 0;
  const places = new FollowerPlaces({ monotonic: () => now }, minute);
  places.heard({ node: 'http://b', place: 9, version: '0.1.0' });
  places.heard({ node: 'http://a', place: 5 });
  now = 7000;
  places.heard({ node: 'http://a', place: 5 });
  now = 8000;
  expect(places.statusAt(9)).toEqual([
    { node: 'http://a', behind: 4, heardMsAgo: 1000, version: null },
    { node: 'http://b', behind: 0, heardMsAgo: 8000, version: '0.1.0' },
  ]);
  now = minute;
  // The place of `a` has not changed for the whole retention, although `a` was heard.
  places.heard({ node: 'http://b', place: 11 });
  expect(places.statusAt(11)).toEqual([
    { node: 'http://b', behind: 0, heardMsAgo: 0, version: null },
  ]);
});

it('a follower counts as active until its place has not changed for the retention', () => {
  let now = 0;
  const places = new FollowerPlaces({ monotonic: () => now }, minute);
  expect(places.slowest).toBeNull();
  places.heard({ node: 'http://a', place: 5 });
  places.heard({ node: 'http://b', place: 9 });
  expect(places.slowest).toBe(5);
  now = minute - 1;
  places.heard({ node: 'http://a', place: 5 });
  places.heard({ node: 'http://b', place: 12 });
  expect(places.slowest).toBe(5);
  now = minute;
  expect(places.slowest).toBe(12);
  // The follower has started again.
  places.heard({ node: 'http://b', place: 2 });
  expect(places.slowest).toBe(2);
});

it('a node that fetches a folder counts as active for as long as it says so', () => {
  let now = 0;
  const places = new FollowerPlaces({ monotonic: () => now }, minute);
  for (; now < 5 * minute; now += minute / 2) {
    places.heard({ node: 'http://a', place: 5, fetches: true });
    // The place of the folder that the node has fetched.
    places.heard({ node: 'http://a', place: 5 });
    expect(places.slowest).toBe(5);
  }
  now += minute;
  places.heard({ node: 'http://a', place: 5 });
  expect(places.slowest).toBeNull();
});
