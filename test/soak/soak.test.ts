import { verifyFolder } from '../../src/cli/journal/journal-verify.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { itOnASmallFileSystem } from '../support/program/small-file-system.js';
import type { Cost } from '../support/program/soaked-server.js';
import { seed } from '../support/seed.js';
import { type Fault, removeStates, Soak } from './soak.js';

/** Longer soaks: `SOAK_SECONDS=900 npm run jest -- test/soak`. */
const seconds = Number(process.env['SOAK_SECONDS'] ?? 12);

/** Of a few minutes: what happens rarely has happened too. */
const isLong = seconds > 60;

/**
 * Only long soaks fill the disk up: that may leave an index of a segment of which `journal verify`
 * says that it has to be made again, with and without sweeps.
 */
const faults: readonly Fault[] = [
  'killInSweep',
  'clockStep',
  'sayAndDie',
  ...(isLong ? (['fullDisk'] as const) : []),
  'kill',
];

/**
 * What a longer history may cost beside a shorter one, in bytes and files. What ten minutes leave
 * to be remembered depends on how much a busy machine does in them: 30 MiB more or less.
 */
const slack: Cost = {
  heap: 64 * 1024 ** 2,
  rss: 150 * 1024 ** 2,
  files: 150,
  disk: 6 * 1024 ** 2,
};

/** The costs that were higher in the second half than ever in the first, by more than the slack. */
function grown(costs: readonly Cost[]): readonly string[] {
  // All that the server is set to keep for a while has to be there before nothing grows any more.
  const half = Math.ceil(costs.length / 2);
  const most = (part: readonly Cost[], name: keyof Cost) =>
    Math.max(...part.map((cost) => cost[name]));
  return (['heap', 'rss', 'files', 'disk'] as const).flatMap((name) => {
    const [before, after] = [most(costs.slice(0, half), name), most(costs.slice(half), name)];
    return after > before + slack[name] ? [`${name}: ${before}, then ${after}`] : [];
  });
}

describe('a server that is swept under load, and dies, and whose clock and disk misbehave', () => {
  itOnASmallFileSystem(
    `keeps what it has acknowledged, in bounded room, for ${seconds} s (seed ${seed})`,
    48,
    async (parent) => {
      const soak = await Soak.begin(parent, new SeededRandom(seed));
      try {
        await soak.run(seconds * 1000, faults);
        await soak.comeToRest(90_000);
      } catch (error) {
        // The file system goes when the server has gone.
        await soak.end('SIGKILL');
        throw error;
      }
      const lost = {
        texts: soak.sink.texts.missing,
        records: soak.sink.records.missing,
        runs: soak.runs.missing,
        letters: await soak.messages.lost(),
        configured: await soak.operators.missing(),
      };
      const subscription = await soak.clients.ask('GET', '/admin/subscriptions/soaked');
      const code = await soak.end();
      await removeStates(parent);
      const { messages, runs, topics, clients, sweeps, removed, diedInSweeps, costs, happened } =
        soak;
      const seen = {
        ...messages.found,
        ...runs.found,
        ...topics.found,
        sweeps,
        removed,
        diedInSweeps,
      };
      const { acknowledged, refused } = clients;
      if (seconds > 60)
        console.log(
          JSON.stringify(subscription),
          { ...seen, acknowledged, refused, happened },
          costs,
        );
      expect(clients.failures).toEqual([]);
      expect(soak.sink.mistakes).toEqual([]);
      expect(soak.problems).toEqual([]);
      expect(lost).toEqual({ texts: [], records: [], runs: [], letters: [], configured: [] });
      expect(code).toBe(0);
      expect((await verifyFolder(soak.folder)).problems).toEqual([]);
      expect(grown(costs)).toEqual([]);
      expect(acknowledged).toBeGreaterThan(20);
      if (isLong) expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
    },
    (seconds * 2 + 300) * 1000,
  );
});
