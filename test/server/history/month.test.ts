import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DayEnd, passMonth } from '../../../bench/month/month.js';

const segmentBytes = 32 * 1024;

/** More days than the retention, so that sweeps have something to remove each day. */
const settings = { days: 10, messages: 600, stepsOfDay: 3, segmentBytes };

/** Two segments of the journal, one in use and one prepared, and one of each partition. */
const slackBytes = 5 * segmentBytes;

/** Two copies of the manifest, with at most 1 MiB of edits each. */
const manifestBytes = 2 * 1024 ** 2;

const askedOf = ({ asked }: DayEnd) => asked.journal + asked.topics;
const keptOf = ({ used }: DayEnd) => used.journal + used.topics + used.indexes + used.proofs;

describe('the disk of a server that is used day after day', () => {
  it('holds what retention demands, and at most a tenth more', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stepwell-month-'));
    try {
      const { days, problems } = await passMonth({ directory, ...settings });
      expect(problems).toEqual([]);
      const outside = days.filter((end) => {
        const isLess = keptOf(end) < askedOf(end);
        return isLess || keptOf(end) > askedOf(end) * 1.1 + slackBytes;
      });
      expect(outside).toEqual([]);
      const others = days.map(({ used }) => used.snapshots + used.rest);
      expect(Math.max(...others)).toBeLessThan(manifestBytes);
      const [middle, last] = [days[7], days.at(-1)];
      if (middle === undefined || last === undefined) throw new Error('no days have passed');
      // This shows that sweeps work: two more days have added nothing lasting but dead letters.
      expect(keptOf(last)).toBeLessThan(keptOf(middle) * 1.2);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }, 120_000);
});
