import { systemClock } from '../../src/engine/clock.js';
import { decodeChanges, type LogChange } from '../../src/server/cluster/log-changes.js';
import { SharedCommits } from '../../src/server/cluster/shared-commits.js';

const mebibyte = 1024 * 1024;

it('a shared log counts as behind after two seconds, and sooner if 8 MiB wait for it', async () => {
  let now = 0;
  const commits = new SharedCommits({ ...systemClock, monotonic: () => now });
  let acknowledge = (): void => undefined;
  commits.open(() => new Promise((resolve) => (acknowledge = () => resolve({ sequence: 1 }))));
  expect(commits.isBehind(100 * mebibyte)).toBe(false);
  const committed = commits.trim('log', 1);
  // A burst is no reason to refuse anything.
  now = 250;
  expect(commits.isBehind(100 * mebibyte)).toBe(false);
  now = 251;
  expect([commits.isBehind(8 * mebibyte), commits.isBehind(8 * mebibyte + 1)]).toEqual([
    false,
    true,
  ]);
  now = 2000;
  expect(commits.isBehind(0)).toBe(false);
  now = 2001;
  expect(commits.isBehind(0)).toBe(true);
  acknowledge();
  await committed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(commits.isBehind(100 * mebibyte)).toBe(false);
});

it('what a log appends at once becomes one batch of the shared log', async () => {
  const commits = new SharedCommits(systemClock);
  const submitted: (readonly LogChange[])[] = [];
  commits.open(async (body) => ({ sequence: submitted.push(decodeChanges(body)) }));
  const records = [0, 12, 24].map((baseOffset) => ({ baseOffset, body: Buffer.from('records') }));
  await Promise.all([
    commits.append('log', records),
    commits.trim('log', 1),
    commits.drop('other'),
  ]);
  // The first batch is sent at once, and the next one takes everything that has come meanwhile.
  expect(submitted).toEqual([
    records.map((one) => ({ kind: 'appended', log: 'log', records: one })),
    [
      { kind: 'trimmed', log: 'log', offset: 1 },
      { kind: 'dropped', log: 'other' },
    ],
  ]);
});
