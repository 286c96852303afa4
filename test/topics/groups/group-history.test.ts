import { seed as firstSeed } from '../../support/seed.js';
import { GroupSimulation } from './group-simulation.js';

/** For longer runs: `GROUP_SEEDS=1000 npm run jest -- test/topics/groups/group-history`. */
const seeds = Number(process.env['GROUP_SEEDS'] ?? 12);
const steps = 60;

describe('groups over a day of faults', () => {
  it('skip nothing, own nothing twice, and keep what they have committed', async () => {
    const sum: Record<string, number> = {};
    for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
      const simulation = new GroupSimulation(seed);
      await simulation.run(steps);
      const { anomalies } = simulation.history;
      expect({ seed, anomalies: anomalies.slice(0, 5) }).toEqual({ seed, anomalies: [] });
      for (const [name, count] of Object.entries(simulation.counts)) {
        sum[name] = (sum[name] ?? 0) + count;
      }
    }
    // Each kind of event happened, and often enough.
    for (const [name, count] of Object.entries(sum)) {
      expect({ name, isEnough: count > seeds / 2 }).toEqual({ name, isEnough: true });
    }
  }, 3_600_000);
});
